import { Context, Data, type Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { Refusal, ServiceUnavailable } from "../domain/Errors.ts"
import type { LookupAnswer, LookupQuery } from "../domain/Lookup.ts"
import type { StatusAnswer } from "../domain/Recovery.ts"
import type { Reversal, ReversalAnswer } from "../domain/Reversal.ts"
import type { Delivery, Order } from "../domain/Sale.ts"

/**
 * What a provider said of an order. Anything that is not firm is Unknown: a timeout is never a refusal. What proves a
 * delivery is the party's own: an insurer has a policy.
 */
export type Answer<Proof = Delivery> = Data.TaggedEnum<{
  Delivered: { readonly delivery: Proof }
  Refused: { readonly refusal: Refusal }
  /** Provably nothing left this process. */
  NotSent: {}
  Unknown: {}
}>
interface AnswerOf extends Data.TaggedEnum.WithGenerics<1> {
  readonly taggedEnum: Answer<this["A"]>
}
export const Answer = Data.taggedEnum<AnswerOf>()

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
    /** Examples for who was to hear a provider, which cannot be asked now: always found, whoever is asked about. */
    readonly standIn: Provider["lookup"]
  }
>()("saldo/core/Providers") {}
