import { Cause, Effect } from "effect"
import { providerTimeout } from "../domain/Recovery.ts"

/**
 * Calls an external service. Returns the fallback when the call takes longer than 30 s or the adapter has a defect.
 *
 * @param onDefect logs the defect.
 */
export const withFallback = <A, B, E, E2, R>(
  call: Effect.Effect<A, E, R>,
  fallback: Effect.Effect<B, E2>,
  onDefect: (cause: Cause.Cause<E>) => Effect.Effect<void>
) =>
  call.pipe(
    Effect.timeoutOrElse({ duration: providerTimeout, orElse: () => fallback }),
    // A typed failure is an answer of the external service, so it is passed on.
    Effect.catchCauseIf(
      (cause) => !Cause.hasFails(cause),
      (cause) => Effect.andThen(onDefect(cause as Cause.Cause<E>), fallback)
    )
  )
