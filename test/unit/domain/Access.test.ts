import { describe, expect, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import type { Company } from "../../../core/domain/Company.ts"
import { admit, isAddressRange, permit } from "../../../core/domain/Session.ts"
import type { Permission, Token } from "../../../core/domain/Token.ts"
import { company, session, token } from "../../support/Examples.ts"

const now = DateTime.makeUnsafe("2026-03-04T12:00:00.000Z")
const home = "192.0.2.1"

/** Null when the caller is admitted, otherwise the reason of the 403 or "unauthenticated". */
const refusal = (changes: { token?: Partial<Token>; company?: Partial<Company> }, address = home): string | null =>
  Result.match(
    admit(
      { token: { ...token, ...changes.token }, company: { ...company, ...changes.company }, isClosed: false },
      address,
      now
    ),
    {
      onSuccess: () => null,
      onFailure: (error) => (error._tag === "Forbidden" ? error.why : "unauthenticated")
    }
  )

const expired = { expiresAt: DateTime.subtract(now, { milliseconds: 1 }) }
const elsewhere = { addresses: ["198.51.100.0/24"] }

describe("a token with the right secret", () => {
  it.each([
    [{}, {}, null],
    [{ expiresAt: DateTime.add(now, { milliseconds: 1 }) }, {}, null],
    [{ expiresAt: now }, {}, "unauthenticated"],
    [expired, {}, "unauthenticated"],
    [{ state: "suspended" }, {}, "token_suspended"],
    [{ state: "revoked" }, {}, "token_revoked"],
    [{}, { apiEnabled: false }, "company_without_api"],
    [{}, { state: "vip" }, null],
    [{}, { state: "suspendida" }, "company_suspended"],
    [elsewhere, {}, "address"],
    // The refusals, from the last check to the first. The reason that a row adds wins over the reasons of the rows above.
    [elsewhere, { state: "suspendida" }, "company_suspended"],
    [elsewhere, { state: "suspendida", apiEnabled: false }, "company_without_api"],
    [{ ...elsewhere, state: "suspended" }, { state: "suspendida", apiEnabled: false }, "token_suspended"],
    [{ ...elsewhere, state: "revoked" }, { state: "suspendida", apiEnabled: false }, "token_revoked"],
    [{ ...elsewhere, ...expired, state: "revoked" }, { state: "suspendida", apiEnabled: false }, "unauthenticated"],
    // The environment of the company, and whether it may sell insurance, do not affect admission.
    [{}, { environment: "production", insuranceEnabled: true }, null]
  ] as ReadonlyArray<readonly [Partial<Token>, Partial<Company>, string | null]>)(
    "is refused, with the token changes %j and the company changes %j, because of %s (null: admitted)",
    (ofToken, ofCompany, expected) => expect(refusal({ token: ofToken, company: ofCompany })).toBe(expected)
  )

  it("is admitted with the session of this token", () => {
    expect(admit(session, home, now)).toEqual(Result.succeed(session))
  })
})

describe("the address list", () => {
  it.each([
    [[], "192.0.2.1", true],
    [[], "not an address", true],
    [["192.0.2.1"], "192.0.2.1", true],
    [["192.0.2.1"], "192.0.2.2", false],
    [["192.0.2.1/32"], "192.0.2.1", true],
    [["198.51.100.7", "192.0.2.1"], "192.0.2.1", true],
    [["192.0.2.0/24"], "192.0.2.255", true],
    [["192.0.2.0/24"], "192.0.3.0", false],
    [["192.0.2.128/25"], "192.0.2.127", false],
    [["192.0.2.128/25"], "192.0.2.128", true],
    [["10.0.0.0/8"], "10.255.255.255", true],
    [["10.0.0.0/8"], "11.0.0.0", false],
    [["0.0.0.0/0"], "203.0.113.9", true],
    [["0.0.0.0/0"], "2001:db8::1", false],
    [["2001:db8::1"], "2001:db8::1", true],
    [["2001:DB8::1"], "2001:0db8:0000:0000:0000:0000:0000:0001", true],
    [["2001:db8::1"], "2001:db8::2", false],
    [["2001:db8::/32"], "2001:db8:ffff:ffff::1", true],
    [["2001:db8::/32"], "2001:db9::1", false],
    [["2001:db8:0:8000::/49"], "2001:db8:0:7fff::1", false],
    [["::/0"], "2001:db8::1", true],
    [["::/0"], "192.0.2.1", false],
    // A server on IPv6 sees IPv4 callers as mapped addresses.
    [["192.0.2.1"], "::ffff:192.0.2.1", true],
    [["192.0.2.0/24"], "::FFFF:192.0.2.77", true],
    [["192.0.2.0/24"], "::ffff:192.0.3.1", false],
    // An invalid entry admits no address. Other entries still apply.
    [["garbage"], "192.0.2.1", false],
    [["garbage", "192.0.2.1"], "192.0.2.1", true],
    [["192.0.2.0/33"], "192.0.2.1", false],
    [["192.0.2"], "192.0.2.1", false],
    [["192.0.2.1/24"], "192.0.2.1", false],
    // An invalid caller address matches no list.
    [["0.0.0.0/0", "::/0"], "", false],
    [["0.0.0.0/0", "::/0"], "unknown", false],
    [["192.0.2.1"], "192.0.2.1, 198.51.100.7", false],
    [["192.0.2.1"], "192.0.2.01", false]
  ] as const)("%j admits the caller %s: %s", (addresses, address, admitted) => {
    expect(refusal({ token: { addresses } }, address)).toBe(admitted ? null : "address")
  })

  it.each([
    ["192.0.2.1", true],
    ["192.0.2.0/24", true],
    ["0.0.0.0/0", true],
    ["2001:db8::1", true],
    ["2001:db8::/32", true],
    ["::", true],
    // A range with bits set after its prefix is refused as a typing error, because the intended range is unclear.
    ["192.0.2.1/24", false],
    ["2001:db8::1/32", false],
    ["192.0.2.0/33", false],
    ["2001:db8::/129", false],
    ["192.0.2.0/-1", false],
    ["192.0.2.0/", false],
    ["192.0.2.0/2 4", false],
    ["192.0.2", false],
    ["192.0.2.256", false],
    ["192.0.2.1:80", false],
    ["fe80::1%eth0", false],
    ["[::1]", false],
    ["example.com", false],
    ["", false],
    ["/", false]
  ])("accepts the entry %j: %s", (entry, allowed) => expect(isAddressRange(entry)).toBe(allowed))
})

describe("a permission", () => {
  const all: ReadonlyArray<Permission> = ["account.read", "balance.read", "services.read", "recharges.create"]

  it.each([
    [[], "recharges.create", true],
    [[], "transactions.reverse", true],
    [all, "recharges.create", true],
    [all, "transactions.read", false],
    [["transactions.read"], "transactions.reverse", false],
    [["transactions.reverse"], "transactions.read", false]
  ] as ReadonlyArray<readonly [ReadonlyArray<Permission>, Permission, boolean]>)(
    "is granted by the list %j for %s: %s",
    (permissions, permission, carried) => {
      const result = permit({ ...token, permissions }, permission)
      expect(Result.isSuccess(result) ? null : result.failure.why).toBe(carried ? null : "permission")
    }
  )
})
