import { Effect } from "effect"
import type { Environment } from "../../core/domain/Company.ts"

/** An external service, and whether it would be called now. */
export interface Guarded<Party> {
  readonly party: Party
  readonly accepts: Effect.Effect<boolean>
}

/**
 * Selects the implementation for an environment. Companies in development always use the simulator; companies in
 * production never do.
 *
 * @param production the configured external service. If null, or if it accepts no calls now, companies in production
 * are refused.
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
