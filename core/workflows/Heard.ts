import { type Cause, Effect } from "effect"
import { providerTimeout } from "../domain/Recovery.ts"

/**
 * What a party says within the time that it has.
 *
 * @param silence what it counts for if it falls silent or breaks.
 * @param broken tells of what it broke of.
 */
export const heard = <A, E, R>(
  asked: Effect.Effect<A, E, R>,
  silence: A,
  broken: (cause: Cause.Cause<E>) => Effect.Effect<void>
) =>
  asked.pipe(
    Effect.timeoutOrElse({ duration: providerTimeout, orElse: () => Effect.succeed(silence) }),
    Effect.catchCause((cause) => Effect.as(broken(cause), silence))
  )
