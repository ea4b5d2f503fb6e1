import { createHash } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import fc from "fast-check"
import * as Sha256Node from "../../adapters/node/Sha256Node.ts"
import { canonical, fingerprintOf, type Json } from "../../core/domain/Fingerprint.ts"
import { AmountLiteral, readAmount } from "../../core/domain/Money.ts"
import { readJson } from "../../facade/wire/Json.ts"

const endpoint = "POST /v1/recargas"

const fingerprint = (body: Json, of = endpoint): string =>
  Effect.runSync(fingerprintOf(of, body).pipe(Effect.provide(Sha256Node.layer)))

const anyJson = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>

/** The same value with the keys of every object in another order. */
const shuffled = (value: Json): Json => {
  if (value === null || typeof value !== "object") return value
  if (Array.isArray(value)) return value.map(shuffled)
  const members = Object.entries(value as { readonly [key: string]: Json })
  return Object.fromEntries(members.reverse().map(([key, member]) => [key, shuffled(member)]))
}

describe("a fingerprint", () => {
  it("does not see in which order the keys stand, at any depth", () => {
    fc.assert(
      fc.property(anyJson, (body) => {
        expect(fingerprint(shuffled(body))).toBe(fingerprint(body))
      })
    )
  })

  it("does not see white space in the body that was sent", () => {
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
        // What reads the same in canonical form is the same value.
        if (same) expect(JSON.parse(canonical(left))).toEqual(JSON.parse(JSON.stringify(right)))
      })
    )
  })

  it("loses nothing of the value: its canonical form parses back to it", () => {
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
  ] as ReadonlyArray<readonly [Json, Json]>)("tells %j from %j", (left, right) =>
    expect(fingerprint(left)).not.toBe(fingerprint(right))
  )

  it("tells one endpoint from another", () => {
    const reversal = "POST /v1/transacciones/{id}/anular"
    expect(fingerprint({ a: 1 })).not.toBe(fingerprint({ a: 1 }, reversal))
  })

  it("is SHA-256 over the endpoint and the canonical body", () => {
    const body = { service_id: 1, amount: 5_000, identifier: "8095551234" }
    const text = `${endpoint}\n{"amount":5000,"identifier":"8095551234","service_id":1}`
    expect(fingerprint(body)).toBe(createHash("sha256").update(text).digest("hex"))
  })

  it("sees the value of an amount, not how it was written", () => {
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
