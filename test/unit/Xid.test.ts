import { createHash } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import fc from "fast-check"
import { Xid } from "../../adapters/http/Wire.ts"
import * as Sha256Node from "../../adapters/node/Sha256Node.ts"
import { CompanyId, IdempotencyKey } from "../../core/domain/Ids.ts"
import { reversalXidOf, XidPrefix, xidOf, xidPrefixPattern } from "../../core/domain/Xid.ts"

const xid = (companyId: number, key: string) =>
  xidOf(CompanyId.make(companyId), IdempotencyKey.make(key)).pipe(Effect.provide(Sha256Node.layer))

const anyCompany = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const anyKey = fc.string({ minLength: 1, maxLength: 128, unit: "grapheme-ascii" })

describe("an xid", () => {
  it("is the prefix and the first 24 hex characters of SHA-256 of company, colon and key", () => {
    fc.assert(
      fc.property(anyCompany, anyKey, (companyId, key) => {
        const hex = createHash("sha256").update(`${companyId}:${key}`, "utf8").digest("hex").slice(0, 24)
        expect(Effect.runSync(xid(companyId, key))).toBe(`RD-${hex}`)
        expect(Effect.runSync(xid(companyId, key))).toMatch(/^RD-[0-9a-f]{24}$/)
      })
    )
  })

  it.effect.each([
    [1, "k", "RD-5d7c96341bc25459b2048902"],
    [7, "8a6e0804-2bd0-4672-b79d-d97027f9071a", "RD-305b73ea87033c5e5b317b82"],
    [7, "recarga-ñandú-☂", "RD-23a68b21548996780ccbc19c"]
  ] as const)("of company %d and key %s is known by heart", ([companyId, key, expected]) =>
    Effect.map(xid(companyId, key), (made) => expect(made).toBe(expected))
  )

  it("differs between companies and between keys, also where the digits run together", () => {
    const made = [xid(1, "1:2"), xid(11, "2"), xid(1, "12"), xid(112, "x"), xid(1, "1")].map(Effect.runSync)
    expect(new Set(made).size).toBe(made.length)
  })

  it("of a reversal is its own: no key makes a sale of that name", () => {
    const reversalXid = (key: string) =>
      Effect.runSync(reversalXidOf(CompanyId.make(7), IdempotencyKey.make(key)).pipe(Effect.provide(Sha256Node.layer)))
    expect(reversalXid("k")).toBe(`RD-${createHash("sha256").update("7:k\nanular").digest("hex").slice(0, 24)}`)
    expect(new Set([reversalXid("k"), reversalXid("k2"), Effect.runSync(xid(7, "k"))]).size).toBe(3)
  })

  it.each([
    ["", false],
    ["FIFTEENLETTERSX", true],
    ["SIXTEENLETTERSXX", false]
  ])("that begins with %j is one that gateways are told to expect: %s", (prefix, expected) => {
    expect(Schema.is(Xid)(`${prefix}-5d7c96341bc25459b2048902`)).toBe(expected)
    expect(new RegExp(`^${xidPrefixPattern}$`).test(prefix)).toBe(expected)
  })

  it.effect("takes another prefix from the configuration", () =>
    xid(1, "k").pipe(
      Effect.provideService(XidPrefix, "DO"),
      Effect.map((made) => expect(made).toMatch(/^DO-[0-9a-f]{24}$/))
    )
  )
})
