import { Context, type Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { ServiceUnavailable } from "../domain/Errors.ts"
import type { LookupAnswer, LookupQuery } from "../domain/Lookup.ts"
import type { StatusAnswer } from "../domain/Recovery.ts"
import type { Reversal, ReversalAnswer } from "../domain/Reversal.ts"
import type { DispatchAnswer, Order } from "../domain/Sale.ts"

/** A top-up provider. Dispatches each xid at most once; afterwards it is only asked for the status. */
export interface Provider {
  /** Whether an option reference may be the provider's own. Options that it cannot know are not sold through it. */
  readonly knows: (reference: string) => boolean
  readonly dispatch: (order: Order) => Effect.Effect<DispatchAnswer>
  readonly status: (order: Order) => Effect.Effect<StatusAnswer>
  readonly reverse: (reversal: Reversal) => Effect.Effect<ReversalAnswer>
  readonly reversalStatus: (reversal: Reversal) => Effect.Effect<ReversalAnswer>
  /** Looks up what an identifier may buy. Moves no money and may be repeated. */
  readonly lookup: (query: LookupQuery) => Effect.Effect<LookupAnswer>
}

/** The provider of each environment. Companies in production never use the simulator. Contract: 1. */
export class Providers extends Context.Service<
  Providers,
  {
    readonly serving: (environment: Environment) => Effect.Effect<Provider, ServiceUnavailable>
    /** Answers a lookup if the caller's token has no permission to ask a provider. Contract: 4.4. */
    readonly simulator: Provider
    /** Answers a lookup with examples when the provider cannot be asked. It reports every identifier as existing. */
    readonly exampleLookup: Provider["lookup"]
  }
>()("saldo/core/Providers") {}
