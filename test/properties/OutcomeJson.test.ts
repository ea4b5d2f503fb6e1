import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { decodeOutcome, encodeOutcome, OutcomeJson } from "../../adapters/postgres/OutcomeJson.ts"
import { Outcome } from "../../core/domain/Sale.ts"

const encode = Schema.encodeSync(OutcomeJson)

describe("an outcome as JSON", () => {
  it.prop("is what its codec makes of it, and is read back as it was", [Outcome], ([outcome]) => {
    const written = JSON.parse(JSON.stringify(encodeOutcome(outcome)))
    assert.deepStrictEqual(written, encode(outcome))
    assert.deepStrictEqual(decodeOutcome(written), outcome)
  })
})
