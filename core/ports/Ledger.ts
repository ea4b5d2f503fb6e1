import { Context, Data, type DateTime, type Effect } from "effect"
import type {
  DuplicateTransaction,
  IdempotencyConflict,
  InsufficientBalance,
  KeyReused,
  LimitExceeded,
  RequestInProgress
} from "../domain/Errors.ts"
import type { CompanyId, IdempotencyKey } from "../domain/Ids.ts"
import type { Amount } from "../domain/Money.ts"
import type { Count } from "../domain/Recovery.ts"
import type { Intent, Order, Outcome, Verdict } from "../domain/Sale.ts"
import type { Status } from "../domain/Status.ts"

/** What a key that was brought again says. */
export type KeyError = KeyReused | RequestInProgress | IdempotencyConflict

/** The quote that was to be bought is no longer what it was: read the insurance again. Its callers never hear this. */
export class QuoteChanged extends Data.TaggedError("QuoteChanged") {}

export type ReserveError = KeyError | QuoteChanged | DuplicateTransaction | InsufficientBalance | LimitExceeded

/** The amount is held for a new sale, or the key already has its answer. */
export type Reserved = Data.TaggedEnum<{
  Reservation: { readonly order: Order }
  Replay: { readonly outcome: Outcome }
}>
export const Reserved = Data.taggedEnum<Reserved>()

/** What is to become of a sale. */
export interface Settlement extends Count {
  readonly order: Order
  readonly verdict: Verdict
  readonly at: DateTime.Utc
  /**
   * Recovery's count of firm not-founds; the provider's own answer carries 0. One that is not the next after what the
   * sale has counted, or whose claim was not the last, is late: then the sale is neither released nor held by it.
   */
  readonly notFound: number
  /** Has its caller heard meanwhile that it is pending? Then that is what the key replays. */
  readonly toldPending?: boolean
}

/** How the sale now stands, whoever settled it. */
export interface Settled {
  /** False when another had settled it before, or the conclusion was late: then nothing moved. */
  readonly won: boolean
  readonly status: Status
  /** What the key now replays; null when the key was freed. */
  readonly outcome: Outcome | null
}

/** Money that comes from outside, or a correction of it: an entry of the ledger. */
export interface Deposit {
  readonly companyId: CompanyId
  readonly amount: Amount
  /** The operator's name for it: the same one again changes nothing. */
  readonly reference: string
  readonly at: DateTime.Utc
}

/** What a deposit did. */
export type Deposited = Data.TaggedEnum<{
  Recorded: { readonly entryId: number }
  /** The reference had been recorded before, for this amount. */
  AlreadyRecorded: { readonly entryId: number; readonly amount: Amount }
  /** The company would own more than it can; nothing was recorded. */
  BeyondRange: {}
}>
export const Deposited = Data.taggedEnum<Deposited>()

/**
 * Where money is held, charged and given back. Each method is one database transaction; several calls that arrive
 * together may share one. A failure of the database is a defect, and then nothing is known: the same call may be made
 * again and finds its own earlier commit.
 */
export class Ledger extends Context.Service<
  Ledger,
  {
    /** Claims the key, checks limits and balance under the company's lock, and holds the amount. Contract: 3.1. */
    readonly reserve: (intent: Intent) => Effect.Effect<Reserved, ReserveError>
    /** What the key says, if it is known; null if it is free. Changes nothing. */
    readonly recall: (
      companyId: CompanyId,
      key: IdempotencyKey,
      fingerprint: string
    ) => Effect.Effect<Outcome | null, KeyError>
    /** Confirms, releases or keeps holding, once: the loser of a race learns what the winner did. Contract: 3.1. */
    readonly settle: (settlement: Settlement) => Effect.Effect<Settled>
    readonly deposit: (deposit: Deposit) => Effect.Effect<Deposited>
  }
>()("saldo/core/Ledger") {}
