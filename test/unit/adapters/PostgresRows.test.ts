import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { secretsOf } from "../../../adapters/postgres/directory/TokensPostgres.ts"
import { decodeOutcome, OutcomeJson, storedOutcome } from "../../../adapters/postgres/ledger/LedgerRows.ts"
import { Order, Outcome } from "../../../core/domain/Sale.ts"

const encode = Schema.encodeSync(OutcomeJson)
const encodeOrder = Schema.encodeSync(Schema.toCodecJson(Order))

describe("a stored response", () => {
  it.prop(
    "lacks at most the order: with the order it equals the output of its codec and can be decoded",
    [Outcome],
    ([outcome]) => {
      const stored = JSON.parse(JSON.stringify(storedOutcome(outcome)))
      const whole = outcome._tag === "Delivered" ? { ...stored, order: encodeOrder(outcome.order) } : stored
      assert.deepStrictEqual(whole, encode(outcome))
      assert.deepStrictEqual(decodeOutcome(whole), outcome)
    }
  )
})

describe("the secrets of a token", () => {
  it("are copies, so they do not keep the whole database message in memory", () => {
    const message = new Uint8Array(4096).fill(7)
    const secrets = secretsOf({
      secret_hash: message.subarray(100, 132),
      secret_pepper: null,
      previous_hash: message.subarray(200, 232),
      previous_pepper: null,
      previous_until: new Date(0)
    })
    assert.strictEqual(secrets.length, 2)
    for (const { hash } of secrets) {
      assert.deepStrictEqual(hash, new Uint8Array(32).fill(7))
      assert.strictEqual(hash.buffer.byteLength, 32)
    }
  })
})
