import { Context, Data, type DateTime, type Effect } from "effect"
import type { NotFound, NotReversible, ReversalNotSupported } from "../domain/Errors.ts"
import type { Asked, Count } from "../domain/Recovery.ts"
import type {
  ReversalIntent,
  ReversalOutcome,
  ReversalStatus,
  ReversalVerdict,
  UnderReversal
} from "../domain/Reversal.ts"
import type { KeyError } from "./Ledger.ts"
import type { Claim } from "./Unresolved.ts"

/** The reversal is recorded and may be sent, or its key already has its answer. */
export type Begun = Data.TaggedEnum<{
  Begun: { readonly under: UnderReversal }
  Replay: { readonly outcome: ReversalOutcome }
}>
export const Begun = Data.taggedEnum<Begun>()

/** Why a reversal may not begin. */
export type BeginError = KeyError | NotFound | NotReversible | ReversalNotSupported

/** What is to become of a reversal. */
export interface ReversalSettlement extends Count {
  readonly under: UnderReversal
  readonly verdict: ReversalVerdict
  readonly at: DateTime.Utc
  /** Recovery's count of firm not-founds, which is late as a sale's is. */
  readonly notFound: number
  /** Has its caller heard meanwhile that it is pending? Then that is what the key replays. */
  readonly toldPending?: boolean
}

/** How the reversal now stands, whoever settled it. */
export interface ReversalSettled {
  /** False when another had settled it before, or the conclusion was late: then nothing moved. */
  readonly won: boolean
  readonly status: ReversalStatus
  /** What the key now replays; null when the key was freed. */
  readonly outcome: ReversalOutcome | null
}

/** A reversal whose outcome is not known, claimed by one recovery. */
export interface ClaimedReversal extends Pick<Asked, "askAt" | "notFound"> {
  readonly under: UnderReversal
  /** When the lease began, as of a sale. */
  readonly claimedAt: DateTime.Utc
}

/**
 * Sales given back. A sale has at most one reversal under way and one confirmed for ever. Each method is one database
 * transaction; a failure of the database is a defect, and the same call may be made again.
 */
export class Reversals extends Context.Service<
  Reversals,
  {
    readonly begin: (intent: ReversalIntent) => Effect.Effect<Begun, BeginError>
    /** Gives the money back, or lets the sale stand, once: the loser of a race learns what the winner did. */
    readonly settle: (settlement: ReversalSettlement) => Effect.Effect<ReversalSettled>
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<ClaimedReversal>>
  }
>()("saldo/core/Reversals") {}
