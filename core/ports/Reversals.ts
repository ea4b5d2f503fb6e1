import { Context, Data, type DateTime, type Effect } from "effect"
import type { NotFound, NotReversible, ReversalNotSupported } from "../domain/Errors.ts"
import type { Asked, Count } from "../domain/Recovery.ts"
import type { ReversalIntent, ReversalOutcome, ReversalVerdict, UnresolvedReversal } from "../domain/Reversal.ts"
import type { ReversalStatus } from "../domain/Status.ts"
import type { KeyError } from "./Ledger.ts"
import type { RecoveryClaim } from "./Unresolved.ts"

/** Either the reversal is recorded and may be sent, or its key already has its response. */
export type Begun = Data.TaggedEnum<{
  Begun: { readonly unresolved: UnresolvedReversal }
  Replay: { readonly outcome: ReversalOutcome }
}>
export const Begun = Data.taggedEnum<Begun>()

/** Errors of a reversal that may not begin. */
export type BeginError = KeyError | NotFound | NotReversible | ReversalNotSupported

/** A request to settle a reversal. */
export interface ReversalSettlement extends Count {
  readonly unresolved: UnresolvedReversal
  readonly verdict: ReversalVerdict
  readonly at: DateTime.Utc
  /** Recovery's count of firm "not found" answers. A settlement with an outdated count is late, as in `Settlement`. */
  readonly notFound: number
  /** Whether the caller has already received "pending". If so, the key replays "pending". */
  readonly toldPending?: boolean
}

/** The state of the reversal after a settlement, whichever process settled it. */
export interface ReversalSettled {
  /** False when another process had settled the reversal, or the settlement was late. In both cases no money moved. */
  readonly won: boolean
  readonly status: ReversalStatus
  /**
   * True if this reversal was denied, and a later reversal with the same key, and therefore the same xid, was not. In
   * this case the provider's answer about the xid concerns the later reversal.
   */
  readonly isRepeated: boolean
  /** The response that the key replays. Null when the key was freed. */
  readonly outcome: ReversalOutcome | null
}

/** An unresolved reversal, claimed by one recovery cycle until the lease ends. */
export interface ClaimedReversal extends Pick<Asked, "askAt" | "notFound"> {
  readonly unresolved: UnresolvedReversal
  /** When the lease began. A count of "not found" answers is valid only if no later claim exists. */
  readonly claimedAt: DateTime.Utc
}

/**
 * Reversals of sales. A sale has at most one reversal in progress, and at most one confirmed. Each call is one database
 * transaction. A database failure is a defect, and the call may be repeated.
 */
export class Reversals extends Context.Service<
  Reversals,
  {
    readonly begin: (intent: ReversalIntent) => Effect.Effect<Begun, BeginError>
    /**
     * Returns the money or leaves the sale in SUCCESS, once. If another process settled first, the call returns that
     * result.
     */
    readonly settle: (settlement: ReversalSettlement) => Effect.Effect<ReversalSettled>
    readonly claim: (claim: RecoveryClaim) => Effect.Effect<ReadonlyArray<ClaimedReversal>>
  }
>()("saldo/core/Reversals") {}
