import { Schema } from "effect"
import { Outcome } from "../../core/domain/Sale.ts"

/** How a key keeps its answer. What is written needs no codec: an outcome as JSON is what this one would make of it. */
export const OutcomeJson = Schema.toCodecJson(Outcome)

export const decodeOutcome = Schema.decodeUnknownSync(OutcomeJson)
