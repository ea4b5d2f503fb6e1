import { Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import { InsuranceUnavailable } from "../domain/InsuranceErrors.ts"
import { type Insurer, Insurers } from "../ports/Insurer.ts"
import { redactDefects } from "../telemetry/RedactDefects.ts"
import { withFallback } from "./WithFallback.ts"

/**
 * Asks an insurer something that moves no money. One that falls silent, or breaks, is as good as none.
 *
 * @param question what is asked, for the log.
 */
export const askInsurer = <A, E>(
  environment: Environment,
  question: string,
  ask: (insurer: Insurer) => Effect.Effect<A, E>
) =>
  withFallback(
    redactDefects(
      Effect.flatMap(
        Insurers.use((insurers) => insurers.serving(environment)),
        ask
      )
    ),
    Effect.fail(new InsuranceUnavailable()),
    (cause) => Effect.logError("an insurer broke over a question", { question }, cause)
  )
