import { Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import { InsuranceUnavailable } from "../domain/InsuranceErrors.ts"
import { type Insurer, Insurers } from "../ports/Insurer.ts"
import { redactDefects } from "../telemetry/RedactDefects.ts"
import { withFallback } from "./WithFallback.ts"

/**
 * Asks an insurer a question that moves no money. A timeout or a defect of the adapter counts as "insurer unavailable".
 *
 * @param question name of the question, for the log.
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
    (cause) => Effect.logError("the insurer's adapter failed on a question", { question }, cause)
  )
