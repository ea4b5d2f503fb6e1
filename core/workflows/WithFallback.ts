import { Cause, Effect } from "effect"
import { providerTimeout } from "../domain/Recovery.ts"

/**
 * Calls a party, and takes a fallback for its answer when it does not answer within its 30 s, or the adapter breaks.
 *
 * @param onDefect logs why it broke.
 */
export const withFallback = <A, B, E, E2, R>(
  call: Effect.Effect<A, E, R>,
  fallback: Effect.Effect<B, E2>,
  onDefect: (cause: Cause.Cause<E>) => Effect.Effect<void>
) =>
  call.pipe(
    Effect.timeoutOrElse({ duration: providerTimeout, orElse: () => fallback }),
    // A typed failure is an answer: what the party refuses in so many words.
    Effect.catchCauseIf(
      (cause) => !Cause.hasFails(cause),
      (cause) => Effect.andThen(onDefect(cause as Cause.Cause<E>), fallback)
    )
  )
