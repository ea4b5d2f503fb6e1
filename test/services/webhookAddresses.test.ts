import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { acceptsAddress } from "../../adapters/webhook/AddressRule.ts"
import { resolveWith } from "../../adapters/webhook/NameLookup.ts"
import { type NameRecords, startNameServer } from "../fakes/NameServer.ts"
import { delivery, makeSender, resolvingTo, startReceiver } from "./support/Webhooks.ts"

const publicAddresses = [
  "1.1.1.1",
  "93.184.216.34",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::200e",
  "2800:3f0:4005:40b::200e"
]

const loopbackAddresses = ["127.0.0.1", "127.255.255.254", "::1"]

const refusedAddresses = [
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "this network"],
  ["10.0.0.1", "private"],
  ["10.255.255.255", "private"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.168.1.1", "private"],
  ["100.64.0.1", "carrier-grade NAT"],
  ["100.100.100.200", "metadata of Alibaba Cloud"],
  ["169.254.0.1", "link-local"],
  ["169.254.169.254", "metadata of most clouds"],
  ["169.254.170.2", "metadata of Amazon ECS"],
  ["168.63.129.16", "metadata of Azure"],
  ["192.0.0.192", "metadata of Oracle Cloud"],
  ["192.0.2.1", "documentation"],
  ["198.51.100.1", "documentation"],
  ["203.0.113.1", "documentation"],
  ["198.18.0.1", "benchmarks"],
  ["192.88.99.1", "6to4 relay"],
  ["224.0.0.1", "multicast"],
  ["239.255.255.255", "multicast"],
  ["240.0.0.1", "reserved"],
  ["255.255.255.255", "broadcast"],
  ["::", "unspecified"],
  ["::127.0.0.1", "IPv4-compatible"],
  ["::ffff:127.0.0.1", "IPv4-mapped"],
  ["::ffff:7f00:1", "IPv4-mapped"],
  ["::ffff:93.184.216.34", "IPv4-mapped"],
  ["::ffff:0:7f00:1", "IPv4-translated"],
  ["64:ff9b::7f00:1", "NAT64"],
  ["64:ff9b::5db8:d822", "NAT64"],
  ["64:ff9b:1::a00:1", "NAT64 of a network"],
  ["100::1", "discard"],
  ["2001::1", "Teredo"],
  ["2001:2::1", "benchmarks"],
  ["2001:10::1", "ORCHID"],
  ["2001:20::1", "ORCHIDv2"],
  ["2001:db8::1", "documentation"],
  ["3fff::1", "documentation"],
  ["2002:7f00:1::1", "6to4"],
  ["2002:5db8:d822::1", "6to4"],
  ["4000::1", "not assigned"],
  ["5f00::1", "segment routing"],
  ["fc00::1", "unique local"],
  ["fd00:ec2::254", "metadata of Amazon EC2"],
  ["fd20:ce::254", "metadata of Google Cloud"],
  ["fe80::1", "link-local"],
  ["fe80::1%eth0", "link-local"],
  ["fec0::1", "site-local"],
  ["ff02::1", "multicast"],
  ["ff0e::1", "multicast"]
] as const

const bracketed = (address: string) => (address.includes(":") ? `[${address}]` : address)

describe("an IP address", () => {
  it.each(publicAddresses)("%s is accepted", (address) => {
    expect(acceptsAddress(false)(address)).toBe(true)
    expect(acceptsAddress(true)(address)).toBe(true)
  })

  it.each(loopbackAddresses)("%s is accepted only where local addresses are allowed", (address) => {
    expect(acceptsAddress(false)(address)).toBe(false)
    expect(acceptsAddress(true)(address)).toBe(true)
  })

  it.each(refusedAddresses)("%s is refused: %s", (address) => {
    expect(acceptsAddress(false)(address)).toBe(false)
    expect(acceptsAddress(true)(address)).toBe(false)
  })
})

describe("a text that is not an IP address", () => {
  it.each(["", "127.1", "2130706433", "0x7f.0.0.1", "[::1]", "93.184.216.34/32", "ejemplo.com"])(
    "%j is refused",
    (text) => {
      expect(acceptsAddress(true)(text)).toBe(false)
    }
  )
})

describe("the address of a webhook", () => {
  it.effect.each([
    ...[...loopbackAddresses, ...refusedAddresses.map(([address]) => address)].map(
      (address) => `https://${bracketed(address)}`
    ),
    "https://0x7f.1",
    "https://0x7f000001",
    "https://017700000001",
    "https://0177.0.0.1",
    "https://127.0.1",
    "https://127.0.0.1.",
    "https://127。0。0。1",
    "https://①②⑦.0.0.1",
    "https://%31%32%37.0.0.1",
    "https://0",
    "https://0xa9fea9fe",
    "https://[0:0:0:0:0:0:0:1]",
    "https://[::FFFF:127.0.0.1]:8443",
    "https://[fe80::1%25eth0]",
    "https://usuario:clave@93.184.216.34",
    "http://93.184.216.34"
  ])("%s is refused immediately, and nothing is sent to it", (url) =>
    Effect.gen(function* () {
      const { asked, resolve } = resolvingTo(["93.184.216.34"])
      const sender = yield* makeSender({ local: false, resolve })
      assert.deepStrictEqual(sender.readUrl(url), Result.fail("no_permitida"))
      const { error, httpStatus } = yield* sender.send(delivery(url))
      assert.deepStrictEqual([httpStatus, error], [null, "direccion_no_permitida"])
      assert.isEmpty(asked)
    })
  )

  it.effect.each([...publicAddresses.map((address) => `https://${bracketed(address)}/`), "https://ejemplo.com:5432/"])(
    "%s is accepted",
    (url) =>
      Effect.gen(function* () {
        const sender = yield* makeSender({ local: false })
        assert.deepStrictEqual(Result.getOrNull(sender.readUrl(url)), url)
      })
  )
})

describe("the host name of a webhook", () => {
  it.effect.each([
    ...loopbackAddresses,
    ...refusedAddresses.map(([address]) => address),
    "93.184.216.34, 10.0.0.1",
    "10.0.0.1, 93.184.216.34",
    "93.184.216.34, 2606:4700:4700::1111, ::1"
  ])("that resolves to %s is refused before a connection", (addresses) =>
    Effect.gen(function* () {
      const receiver = yield* startReceiver((response) => response.end())
      const sender = yield* makeSender({ local: false, resolve: resolvingTo(addresses.split(", ")).resolve })
      const { error } = yield* sender.send(delivery(`https://ejemplo.com:${receiver.port}/`))
      assert.strictEqual(error, "direccion_no_permitida")
      assert.strictEqual(receiver.opened.count, 0)
    })
  )

  it.effect("that resolves differently each time leads only to the addresses that were checked", () =>
    Effect.gen(function* () {
      const receiver = yield* startReceiver((response) => response.end())
      const { asked, resolve } = resolvingTo(["127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"])
      const sender = yield* makeSender({ local: true, resolve })
      const { httpStatus } = yield* sender.send(delivery(`http://ejemplo.com:${receiver.port}/`))
      assert.strictEqual(httpStatus, 200)
      assert.deepStrictEqual(asked, ["ejemplo.com"])
    })
  )

  it.effect("is resolved and checked again for the next connection", () =>
    Effect.gen(function* () {
      const receiver = yield* startReceiver((response) => response.writeHead(200, { connection: "close" }).end())
      const sender = yield* makeSender({ local: true, resolve: resolvingTo(["127.0.0.1"], ["10.0.0.1"]).resolve })
      const request = delivery(`http://ejemplo.com:${receiver.port}/`)
      assert.strictEqual((yield* sender.send(request)).httpStatus, 200)
      yield* receiver.closed.reach(1)
      assert.strictEqual((yield* sender.send(request)).error, "direccion_no_permitida")
      assert.strictEqual(receiver.deliveries.length, 1)
    })
  )

  it.effect.each(["localhost", "api.localhost"])(
    "%s means this machine and is not resolved by a name server",
    (hostname) =>
      Effect.gen(function* () {
        const receiver = yield* startReceiver((response) => response.end())
        const { asked, resolve } = resolvingTo(["10.0.0.1"])
        const sender = yield* makeSender({ local: true, resolve })
        const { httpStatus } = yield* sender.send(delivery(`http://${hostname}:${receiver.port}/`))
        assert.strictEqual(httpStatus, 200)
        assert.isEmpty(asked)
      })
  )
})

describe("a name server", () => {
  const loopbackSix = `${"0".repeat(31)}1`
  const mappedLoopback = `${"0".repeat(20)}ffff7f000001`

  it.effect.each([
    // records, addresses
    [{ four: ["127.0.0.1"] }, ["127.0.0.1"]],
    [{ four: ["127.0.0.1", "10.0.0.1"] }, ["127.0.0.1", "10.0.0.1"]],
    [{ six: [loopbackSix] }, ["::1"]],
    [{ four: ["127.0.0.1"], six: [loopbackSix] }, ["127.0.0.1", "::1"]],
    [{ six: [mappedLoopback] }, ["::ffff:127.0.0.1"]],
    [{ four: ["127.0.0.1"], brokenSix: true }, ["127.0.0.1"]]
  ] as ReadonlyArray<readonly [NameRecords, ReadonlyArray<string>]>)(
    "with the records %j gives the addresses %j",
    ([records, addresses]) =>
      Effect.gen(function* () {
        const servers = [yield* startNameServer({ "ejemplo.com": records })]
        assert.deepStrictEqual(yield* Effect.promise(() => resolveWith(servers)("ejemplo.com")), addresses)
      })
  )

  it.effect.each([{ four: ["127.0.0.1"] }, { four: ["127.0.0.1"], brokenSix: true }])(
    "with the records %j leads a delivery to the receiver",
    (records) =>
      Effect.gen(function* () {
        const receiver = yield* startReceiver((response) => response.end())
        const resolve = resolveWith([yield* startNameServer({ "ejemplo.com": records })])
        const sender = yield* makeSender({ local: true, resolve })
        const { httpStatus } = yield* sender.send(delivery(`http://ejemplo.com:${receiver.port}/`))
        assert.strictEqual(httpStatus, 200)
      })
  )

  it.effect.each([
    // the name, its records, error
    ["otro.com", "dns"],
    ["vacio.com", "dns"],
    ["privado.com", "direccion_no_permitida"],
    ["mezclado.com", "direccion_no_permitida"]
  ])("is asked for %s, and the attempt ends with the error %s", ([hostname, expected]) =>
    Effect.gen(function* () {
      const server = yield* startNameServer({
        "vacio.com": {},
        "privado.com": { four: ["10.0.0.1"] },
        "mezclado.com": { four: ["93.184.216.34"], six: [mappedLoopback] }
      })
      const sender = yield* makeSender({ local: false, resolve: resolveWith([server]) })
      assert.strictEqual((yield* sender.send(delivery(`https://${hostname}/`))).error, expected)
    })
  )
})
