import { Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import { InsuranceUnavailable } from "../domain/InsuranceErrors.ts"
import { providerTimeout } from "../domain/Recovery.ts"
import { type Insurer, Insurers } from "../ports/Insurer.ts"
import { discreetly } from "../telemetry/Discreet.ts"

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
  Insurers.use((insurers) => insurers.serving(environment)).pipe(
    Effect.flatMap(ask),
    discreetly,
    Effect.timeoutOrElse({ duration: providerTimeout, orElse: () => Effect.fail(new InsuranceUnavailable()) }),
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError("insurer", { question }, defect), Effect.fail(new InsuranceUnavailable()))
    )
  )
