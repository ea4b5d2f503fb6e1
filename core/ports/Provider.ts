import { Context, type Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { ServiceUnavailable } from "../domain/Errors.ts"
import type { FloatAnswer } from "../domain/Float.ts"
import type { LookupAnswer, LookupQuery } from "../domain/Lookup.ts"
import type { StatusAnswer } from "../domain/Recovery.ts"
import type { Reversal, ReversalAnswer } from "../domain/Reversal.ts"
import type { DispatchAnswer, Order } from "../domain/Sale.ts"

/** A top-up provider. Saldo dispatches each xid at most once and afterwards asks only for the status. */
export interface Provider {
  /**
   * Whether this provider may have issued the reference of an option. Saldo does not sell an option through a provider
   * that cannot know its reference.
   */
  readonly knows: (reference: string) => boolean
  readonly dispatch: (order: Order) => Effect.Effect<DispatchAnswer>
  readonly status: (order: Order) => Effect.Effect<StatusAnswer>
  readonly reverse: (reversal: Reversal) => Effect.Effect<ReversalAnswer>
  readonly reversalStatus: (reversal: Reversal) => Effect.Effect<ReversalAnswer>
  /** Looks up the packages or bills of an identifier. Moves no money and may be repeated. */
  readonly lookup: (query: LookupQuery) => Effect.Effect<LookupAnswer>
  /** Asks for the remaining balance with the provider. Moves no money and may be repeated. */
  readonly float: Effect.Effect<FloatAnswer>
}

/** The provider of each environment. Companies in production never use the simulator. Contract: 1. */
export class Providers extends Context.Service<
  Providers,
  {
    readonly serving: (environment: Environment) => Effect.Effect<Provider, ServiceUnavailable>
    /** Answers lookups of tokens that may not ask a real provider. Contract: 4.4. */
    readonly simulator: Provider
    /** Answers lookups with examples while the provider cannot be asked. In these answers every identifier exists. */
    readonly exampleLookup: Provider["lookup"]
  }
>()("saldo/core/Providers") {}
