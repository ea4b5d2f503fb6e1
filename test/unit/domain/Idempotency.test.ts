import { createHash } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Result, Schema } from "effect"
import fc from "fast-check"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import { Xid } from "../../../adapters/http/GatewayProtocol.ts"
import {
  canonical,
  fingerprintOf,
  type Json,
  type KeyRecord,
  type KeyState,
  readKey,
  reversalXidOf,
  XidPrefix,
  xidOf,
  xidPrefixPattern
} from "../../../core/domain/Idempotency.ts"
import { CompanyId, IdempotencyKey } from "../../../core/domain/Ids.ts"
import { AmountLiteral, readAmount } from "../../../core/domain/Money.ts"
import { readJson } from "../../../facade/api/Json.ts"

const endpoint = "POST /v1/recargas"

const fingerprint = (body: Json, of = endpoint): string =>
  Effect.runSync(fingerprintOf(of, body).pipe(Effect.provide(Sha256Node.layer)))

const anyJson = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>

/** The same value with every object's keys in another order. */
const shuffled = (value: Json): Json => {
  if (value === null || typeof value !== "object") return value
  if (Array.isArray(value)) return value.map(shuffled)
  const members = Object.entries(value as { readonly [key: string]: Json })
  return Object.fromEntries(members.reverse().map(([key, member]) => [key, shuffled(member)]))
}

describe("a fingerprint", () => {
  it("does not depend on the order of keys, at any depth", () => {
    fc.assert(
      fc.property(anyJson, (body) => {
        expect(fingerprint(shuffled(body))).toBe(fingerprint(body))
      })
    )
  })

  it("does not depend on white space in the body", () => {
    const sent = (text: string) =>
      Result.map(readJson(new TextEncoder().encode(text)), (read) => fingerprint(read as Json))
    fc.assert(
      fc.property(anyJson, fc.constantFrom(1, 4, "\t"), (body, indent) => {
        expect(sent(JSON.stringify(body, null, indent))).toEqual(sent(JSON.stringify(body)))
      })
    )
  })

  it("differs when the value differs", () => {
    fc.assert(
      fc.property(anyJson, anyJson, (left, right) => {
        const same = canonical(left) === canonical(right)
        expect(fingerprint(left) === fingerprint(right)).toBe(same)
        // Equal canonical forms mean equal values.
        if (same) expect(JSON.parse(canonical(left))).toEqual(JSON.parse(JSON.stringify(right)))
      })
    )
  })

  it("preserves the whole value: the canonical form can be parsed back to it", () => {
    fc.assert(
      fc.property(anyJson, (body) => {
        expect(JSON.parse(canonical(body))).toEqual(JSON.parse(JSON.stringify(body)))
      })
    )
  })

  it.each([
    [
      { a: 1, b: 2 },
      { a: 2, b: 1 }
    ],
    [{ a: "1" }, { a: 1 }],
    [{ a: null }, {}],
    [{ a: [] }, { a: {} }],
    [{ a: ["x", "y"] }, { a: ["y", "x"] }],
    [{ a: "b,c" }, { a: "b", c: "" }],
    [{ 'a":1,"b': 1 }, { a: 1, b: 1 }],
    [{ a: "é" }, { a: "e\u0301" }],
    [{ a: "" }, { a: " " }]
  ] as ReadonlyArray<readonly [Json, Json]>)("differs between the bodies %j and %j", (left, right) =>
    expect(fingerprint(left)).not.toBe(fingerprint(right))
  )

  it("differs for different endpoints", () => {
    const reversal = "POST /v1/transacciones/{id}/anular"
    expect(fingerprint({ a: 1 })).not.toBe(fingerprint({ a: 1 }, reversal))
  })

  it("is SHA-256 over the endpoint and the canonical body", () => {
    const body = { service_id: 1, amount: 5_000, identifier: "8095551234" }
    const text = `${endpoint}\n{"amount":5000,"identifier":"8095551234","service_id":1}`
    expect(fingerprint(body)).toBe(createHash("sha256").update(text).digest("hex"))
  })

  it("depends on the value of an amount, not on its notation", () => {
    const written = [
      AmountLiteral.NumberLiteral({ text: "50" }),
      AmountLiteral.NumberLiteral({ text: "50.00" }),
      AmountLiteral.NumberLiteral({ text: "5e1" }),
      AmountLiteral.TextLiteral({ text: "50" }),
      AmountLiteral.TextLiteral({ text: "50.0" })
    ]
    const made = written.map((literal) => fingerprint({ amount: Result.getOrThrow(readAmount(literal)) }))
    expect(new Set(made).size).toBe(1)
  })
})

const now = DateTime.makeUnsafe("2026-03-04T12:00:00.000Z")
const ago = (age: Duration.Input | null) => (age === null ? null : DateTime.subtractDuration(now, age))

interface Row {
  readonly claimed: Duration.Input
  readonly settled: Duration.Input | null
  readonly completed: boolean
}

const read = (row: Row, body: "same" | "other"): KeyState => {
  const record: KeyRecord = {
    fingerprint: "f1",
    completed: row.completed,
    claimedAt: DateTime.subtractDuration(now, row.claimed),
    settledAt: ago(row.settled)
  }
  return readKey(record, { fingerprint: body === "same" ? "f1" : "f2", now })
}

const day_ms = Duration.toMillis("24 hours")
const quarter_ms = Duration.toMillis("15 minutes")

/**
 * Time since the claim of the key, time since the settlement, whether a response is recorded -> the state of
 * the key for the same body, and for a different body.
 */
const table: ReadonlyArray<readonly [Duration.Input, Duration.Input | null, boolean, KeyState, KeyState]> = [
  // The sale is in progress.
  [0, null, false, "in_progress", "reused"],
  ["2 seconds", null, false, "in_progress", "reused"],
  [quarter_ms - 1, null, false, "in_progress", "reused"],
  [quarter_ms, null, false, "in_progress", "reused"],
  [quarter_ms + 1, null, false, "conflict", "reused"],
  // The key of an unresolved operation never expires.
  ["25 hours", null, false, "conflict", "reused"],
  ["400 days", null, false, "conflict", "reused"],
  // The first response was 202. It is replayed while the sale is unresolved, and for 24 hours after the sale is
  // settled.
  ["1 minute", null, true, "replay", "reused"],
  ["20 minutes", null, true, "replay", "reused"],
  ["400 days", null, true, "replay", "reused"],
  ["400 days", "1 hour", true, "replay", "reused"],
  ["400 days", "25 hours", true, "conflict", "conflict"],
  // The sale is settled.
  ["1 second", 0, true, "replay", "reused"],
  ["1 hour", "1 hour", true, "replay", "reused"],
  [day_ms + 9, day_ms - 1, true, "replay", "reused"],
  [day_ms + 9, day_ms, true, "replay", "reused"],
  [day_ms + 9, day_ms + 1, true, "conflict", "conflict"]
]

describe("a known key", () => {
  it.each(table)(
    "that was claimed %s ago and settled %s ago (response recorded: %s) is %s, and for a different body %s",
    (...row) => {
      const [claimed, settled, completed, sameBody, otherBody] = row
      const record = { claimed, settled, completed }
      expect(read(record, "same")).toBe(sameBody)
      expect(read(record, "other")).toBe(otherBody)
    }
  )
})

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
  ] as const)("equals, for company %d and key %s, the known value %s", ([companyId, key, expected]) =>
    Effect.map(xid(companyId, key), (made) => expect(made).toBe(expected))
  )

  it("differs between companies and keys, even where company and key joined without the colon would be equal", () => {
    const made = [xid(1, "1:2"), xid(11, "2"), xid(1, "12"), xid(112, "x"), xid(1, "1")].map(Effect.runSync)
    expect(new Set(made).size).toBe(made.length)
  })

  it("of a reversal never equals the xid of a sale", () => {
    const reversalXid = (key: string) =>
      Effect.runSync(reversalXidOf(CompanyId.make(7), IdempotencyKey.make(key)).pipe(Effect.provide(Sha256Node.layer)))
    expect(reversalXid("k")).toBe(`RD-${createHash("sha256").update("7:k\nanular").digest("hex").slice(0, 24)}`)
    expect(new Set([reversalXid("k"), reversalXid("k2"), Effect.runSync(xid(7, "k"))]).size).toBe(3)
  })

  it.each([
    ["", false],
    ["FIFTEENLETTERSX", true],
    ["SIXTEENLETTERSXX", false]
  ])("with the prefix %j has the form that the documentation for providers states: %s", (prefix, expected) => {
    expect(Schema.is(Xid)(`${prefix}-5d7c96341bc25459b2048902`)).toBe(expected)
    expect(new RegExp(`^${xidPrefixPattern}$`).test(prefix)).toBe(expected)
  })

  it.effect("uses the configured prefix", () =>
    xid(1, "k").pipe(
      Effect.provideService(XidPrefix, "DO"),
      Effect.map((made) => expect(made).toMatch(/^DO-[0-9a-f]{24}$/))
    )
  )
})
