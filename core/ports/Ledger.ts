import { Context, Data, type DateTime, type Effect } from "effect"
import type {
  CompanyClosed,
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

/** Errors of a call with an idempotency key that was used before. */
export type KeyError = KeyReused | RequestInProgress | IdempotencyConflict

/**
 * The quote changed between reading it and reserving its amount. The workflow reads the insurance again; callers never
 * see this error.
 */
export class QuoteChanged extends Data.TaggedError("QuoteChanged") {}

export type ReserveError =
  | KeyError
  | QuoteChanged
  | DuplicateTransaction
  | InsufficientBalance
  | LimitExceeded
  | CompanyClosed

/** The result of a reservation. Either the amount of a new sale is held, or the key already has its response. */
export type Reserved = Data.TaggedEnum<{
  Reservation: { readonly order: Order }
  Replay: { readonly outcome: Outcome }
}>
export const Reserved = Data.taggedEnum<Reserved>()

/** A request to settle a sale. */
export interface Settlement extends Count {
  readonly order: Order
  readonly verdict: Verdict
  readonly at: DateTime.Utc
  /**
   * Recovery's count of firm "not found" answers; 0 for the provider's answer to the dispatch. If the count is above 0,
   * it must be the stored count plus one, and no later claim may exist. Otherwise the settlement is late and changes
   * nothing.
   */
  readonly notFound: number
  /** Whether the caller has already received "pending". If so, the key replays "pending". */
  readonly toldPending?: boolean
}

/** The state of the sale after a settlement, whichever process settled it. */
export interface Settled {
  /** False when another process had settled the sale, or the settlement was late. In both cases no money moved. */
  readonly won: boolean
  readonly status: Status
  /**
   * True if this sale failed, and a later sale with the same key, and therefore the same xid, has not failed. In
   * this case the provider's answer about the xid concerns the later sale.
   */
  readonly isRepeated: boolean
  /** The response that the key replays. Null when the key was freed. */
  readonly outcome: Outcome | null
}

/** A deposit of money into a company's balance. */
export interface Deposit {
  readonly companyId: CompanyId
  readonly amount: Amount
  /**
   * The operator's reference. A repeated reference changes nothing. References that are equal as `foldedText` count as
   * repeated.
   */
  readonly reference: string
  /** Whether to refuse the deposit if a deposit of another company has the same reference. */
  readonly isNew?: boolean
  readonly at: DateTime.Utc
}

/** The result of a deposit. */
export type Deposited = Data.TaggedEnum<{
  Recorded: { readonly entryId: number }
  /** The reference was recorded before, with this amount. */
  AlreadyRecorded: { readonly entryId: number; readonly amount: Amount }
  /** A deposit of another company, `companyId`, has the reference, and `isNew` was set. Nothing was recorded. */
  UsedElsewhere: { readonly companyId: CompanyId }
  /** The balance would exceed the maximum. Nothing was recorded. */
  BeyondRange: {}
}>
export const Deposited = Data.taggedEnum<Deposited>()

/**
 * The ledger: holds, charges and releases money. Each call is one database transaction; calls that arrive together may
 * share a transaction. After a database failure (a defect) it is unknown whether the call had an effect. The caller may
 * repeat the same call, which finds its own earlier commit.
 */
export class Ledger extends Context.Service<
  Ledger,
  {
    /** Claims the key, locks the balance, checks limits and balance, and holds the amount. Contract: 3.1. */
    readonly reserve: (intent: Intent) => Effect.Effect<Reserved, ReserveError>
    /** Reads the stored response of a known key, or fails with the key's error. Null if the key is free. Changes nothing. */
    readonly recall: (
      companyId: CompanyId,
      key: IdempotencyKey,
      fingerprint: string
    ) => Effect.Effect<Outcome | null, KeyError>
    /**
     * Confirms, releases or keeps holding the amount, once. If another process settled first, the call returns that
     * result. Contract: 3.1.
     */
    readonly settle: (settlement: Settlement) => Effect.Effect<Settled>
    readonly deposit: (deposit: Deposit) => Effect.Effect<Deposited>
  }
>()("saldo/core/Ledger") {}
