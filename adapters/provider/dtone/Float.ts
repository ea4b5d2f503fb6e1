import { Effect, Option, Schema } from "effect"
import { FloatAnswer } from "../../../core/domain/Float.ts"
import type { DtOneApi } from "./DtOneApi.ts"
import { logFacts } from "./Faults.ts"

/** A balance of the account. DT One DVS API 1.23.0, Balance. */
const Balance = Schema.Struct({ unit: Schema.String, available: Schema.Finite, holding: Schema.Finite })

const decode = Schema.decodeUnknownOption(Schema.Array(Balance))

/** Asks DT One for the balances of the account. */
export const float = Effect.fnUntraced(function* (api: DtOneApi) {
  const answer = yield* api.balances
  const balances = answer._tag === "Answered" && answer.status === 200 ? Option.getOrNull(decode(answer.body)) : null
  if (balances === null) {
    yield* Effect.logWarning("DT One did not answer the question about the balance", logFacts(answer))
    return FloatAnswer.NoAnswer()
  }
  return FloatAnswer.Read({
    balances: balances.map(({ available, holding, unit }) => ({ unit, available, held: holding }))
  })
})
