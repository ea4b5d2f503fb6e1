import { Effect } from "effect"
import type { Environment } from "../../core/domain/Company.ts"

/** An outside party, and whether a call to it would be made now. */
export interface Guarded<Party> {
  readonly party: Party
  readonly accepts: Effect.Effect<boolean>
}

/**
 * Who serves an environment: the simulator serves companies in development, and nobody else.
 *
 * @param production null while nobody is configured: then a company in production is refused, and so it is while the
 * party takes no calls.
 */
export const serving =
  <Party, E>(simulator: Party, production: Guarded<Party> | null, refusal: () => E) =>
  (environment: Environment): Effect.Effect<Party, E> => {
    if (environment === "development") return Effect.succeed(simulator)
    if (production === null) return Effect.fail(refusal())
    return Effect.flatMap(production.accepts, (accepted) =>
      accepted ? Effect.succeed(production.party) : Effect.fail(refusal())
    )
  }
