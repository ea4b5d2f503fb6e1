import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import * as Sha256Node from "../../adapters/node/Sha256Node.ts"
import { Sha256 } from "../../core/domain/Sha256.ts"

const sha256 = Effect.runSync(Effect.provide(Sha256, Sha256Node.layer))

const expected = (text: string) => createHash("sha256").update(new TextEncoder().encode(text)).digest()

// Keys outlive versions of the service: a digest that changed would refuse a client's own retry as another sale.
describe("SHA-256 of a text", () => {
  it("is that of its UTF-8, halves of characters and all", () => {
    const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme", maxLength: 500 }))
    fc.assert(
      fc.property(anyText, (text) => {
        assert.strictEqual(sha256.hex(text), expected(text).toString("hex"))
        assert.deepStrictEqual(sha256.bytes(text), new Uint8Array(expected(text)))
      })
    )
    for (const half of ["\uD800", "\uDC00x", "a\uDBFF"]) {
      assert.strictEqual(sha256.hex(half), expected(half).toString("hex"))
    }
  })
})
