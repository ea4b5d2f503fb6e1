import { Context, type Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { ServiceUnavailable } from "../domain/Errors.ts"
import type { LookupAnswer, LookupQuery } from "../domain/Lookup.ts"
import type { StatusAnswer } from "../domain/Recovery.ts"
import type { Reversal, ReversalAnswer } from "../domain/Reversal.ts"
import type { Answer, Order } from "../domain/Sale.ts"

/** Somebody who delivers. An xid is dispatched at most once; afterwards it is only asked about. */
export interface Provider {
  /** Whether an option of this name may be one of its own. What it cannot know is not sold through it. */
  readonly knows: (reference: string) => boolean
  readonly dispatch: (order: Order) => Effect.Effect<Answer>
  readonly status: (order: Order) => Effect.Effect<StatusAnswer>
  readonly reverse: (reversal: Reversal) => Effect.Effect<ReversalAnswer>
  readonly reversalStatus: (reversal: Reversal) => Effect.Effect<ReversalAnswer>
  /** Tells what an identifier may buy; moves nothing, and may be asked as often as one likes. */
  readonly lookup: (query: LookupQuery) => Effect.Effect<LookupAnswer>
}

/** Which provider serves an environment. A company in production never meets the simulator. Contract: 1. */
export class Providers extends Context.Service<
  Providers,
  {
    readonly serving: (environment: Environment) => Effect.Effect<Provider, ServiceUnavailable>
    /** Whose examples answer the lookups that no provider may be asked. Contract: 4.4. */
    readonly simulator: Provider
    /** Answers a lookup with examples when the provider cannot be asked: it finds every identifier. */
    readonly exampleLookup: Provider["lookup"]
  }
>()("saldo/core/Providers") {}
