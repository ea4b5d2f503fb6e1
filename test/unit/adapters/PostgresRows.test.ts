import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { secretsOf } from "../../../adapters/postgres/directory/TokensPostgres.ts"
import { decodeOutcome, encodeOutcome, OutcomeJson } from "../../../adapters/postgres/ledger/LedgerRows.ts"
import { Outcome } from "../../../core/domain/Sale.ts"

const encode = Schema.encodeSync(OutcomeJson)

describe("an outcome as JSON", () => {
  it.prop("equals the output of its codec and can be decoded", [Outcome], ([outcome]) => {
    const written = JSON.parse(JSON.stringify(encodeOutcome(outcome)))
    assert.deepStrictEqual(written, encode(outcome))
    assert.deepStrictEqual(decodeOutcome(written), outcome)
  })
})

describe("the secrets of a token", () => {
  it("do not keep the database message in memory", () => {
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
