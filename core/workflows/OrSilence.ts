import { Cause, Effect } from "effect"
import { providerTimeout } from "../domain/Recovery.ts"

/**
 * What a party says within the 30 s that it has.
 *
 * @param silence what it counts for if it falls silent or breaks.
 * @param broken tells of what it broke of.
 */
export const orSilence = <A, B, E, E2, R>(
  asked: Effect.Effect<A, E, R>,
  silence: Effect.Effect<B, E2>,
  broken: (cause: Cause.Cause<E>) => Effect.Effect<void>
) =>
  asked.pipe(
    Effect.timeoutOrElse({ duration: providerTimeout, orElse: () => silence }),
    // What it refuses in so many words is an answer.
    Effect.catchCauseIf(
      (cause) => !Cause.hasFails(cause),
      (cause) => Effect.andThen(broken(cause as Cause.Cause<E>), silence)
    )
  )
