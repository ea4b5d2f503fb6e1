import { describe, expect, it } from "@effect/vitest"
import { Option } from "effect"
import { addressOf, networkOf } from "../../facade/call/Origin.ts"

/** What the socket saw, what a trusted proxy says, and the address of the client. */
const clients: ReadonlyArray<readonly [seen: string | undefined, forwarded: string | undefined, address: string]> = [
  ["192.0.2.1", undefined, "192.0.2.1"],
  ["::ffff:192.0.2.1", undefined, "192.0.2.1"],
  ["::FFFF:c000:201", undefined, "192.0.2.1"],
  ["2001:DB8:0:0::1", undefined, "2001:db8::1"],
  ["fe80::1%eth0", undefined, "fe80::1%eth0"],
  [undefined, undefined, "unknown"],
  ["198.51.100.7", "192.0.2.1", "192.0.2.1"],
  ["198.51.100.7", "203.0.113.9, 192.0.2.1 ", "192.0.2.1"],
  ["198.51.100.7", "::ffff:192.0.2.1", "192.0.2.1"],
  ["198.51.100.7", "::ffff:c000:201", "192.0.2.1"],
  ["198.51.100.7", "0:0:0:0:0:FFFF:C000:0201", "192.0.2.1"],
  ["198.51.100.7", "2001:db8::1", "2001:db8::1"],
  ["198.51.100.7", "2001:0DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["198.51.100.7", "192.0.2.1, example.com", "198.51.100.7"],
  ["198.51.100.7", "192.0.2.01", "198.51.100.7"],
  ["198.51.100.7", "", "198.51.100.7"],
  [undefined, "nobody", "unknown"]
]

describe("the address of a client", () => {
  const addressFrom = (seen: string | undefined, forwarded: string | undefined, trustProxy: boolean) =>
    addressOf({ remoteAddress: Option.fromUndefinedOr(seen), forwardedFor: forwarded }, { trustProxy })

  it.each(clients)("that is seen as %s and forwarded as %s is %s", (seen, forwarded, address) => {
    expect(addressFrom(seen, forwarded, true)).toBe(address)
  })

  it("is what the socket saw where no proxy is trusted", () => {
    expect(addressFrom("198.51.100.7", "192.0.2.1", false)).toBe("198.51.100.7")
  })
})

describe("the network that an address is counted by", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8::1", "2001:db8::/64"],
    ["2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"],
    ["2001:db8:0:2::", "2001:db8:0:2::/64"],
    ["fe80::1%eth0", "fe80::1%eth0"],
    ["unknown", "unknown"]
  ])("of %s is %s", (address, network) => expect(networkOf(address)).toBe(network))
})
