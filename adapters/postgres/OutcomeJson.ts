import { Schema } from "effect"
import { Outcome } from "../../core/domain/Sale.ts"

const OutcomeJson = Schema.toCodecJson(Outcome)

/** How a key keeps its answer. */
export const encodeOutcome = Schema.encodeSync(OutcomeJson)
export const decodeOutcome = Schema.decodeUnknownSync(OutcomeJson)
