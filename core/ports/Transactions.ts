import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { CompanyId, ServiceId, TerminalId, TransactionId } from "../domain/Ids.ts"
import type { DayRange } from "../domain/LocalTime.ts"
import type { Centavos } from "../domain/Money.ts"
import type { PageTooDeep } from "../domain/OperatorErrors.ts"
import type { FrozenSlice, Page } from "../domain/Page.ts"
import type { Supplier } from "../domain/Panorama.ts"
import type { Proposal } from "../domain/Resolution.ts"
import type { Sought } from "../domain/SaleSearch.ts"
import type { ReversalStatus, Status } from "../domain/Status.ts"
import type { KeyedTransaction, Transaction, TransactionFilter } from "../domain/Transaction.ts"

/** A sale and its company. */
export interface OwnedTransaction {
  readonly companyId: CompanyId
  readonly transaction: KeyedTransaction
}

/** Filter of the sales of all companies. All given fields must match. The days are local days. */
export interface OwnedFilter extends DayRange {
  readonly companyId?: CompanyId | undefined
  readonly statuses?: ReadonlyArray<Status> | undefined
  readonly terminalId?: TerminalId | undefined
  /** Sales of any of these services. */
  readonly services?: ReadonlyArray<ServiceId> | undefined
}

/** The values by which a sale is sought, with the xids that are derived from the key for each company. */
export interface SoughtSale extends Sought {
  readonly derived: ReadonlyArray<{ readonly companyId: CompanyId; readonly xids: ReadonlyArray<string> }>
}

/** A sale with an unknown outcome, or with a reversal of unknown outcome. */
export interface PendingTransaction extends OwnedTransaction {
  readonly environment: Environment
  readonly supplier: Supplier
  readonly reversal: {
    readonly xid: string
    readonly status: ReversalStatus
    readonly createdAt: DateTime.Utc
  } | null
  /**
   * The supplier's latest answer about the unresolved operation, and how many times in a row the supplier
   * gave it. Null if the supplier was never asked.
   */
  readonly lastAnswer: { readonly answer: string; readonly times: number; readonly at: DateTime.Utc } | null
  /** An operator's proposal to settle the unresolved operation. */
  readonly proposal: Proposal | null
}

/** Filter of unresolved operations. All given fields must match. */
export interface PendingFilter {
  readonly companyId?: CompanyId | undefined
  readonly supplier?: Supplier | undefined
}

/** Sort order of unresolved operations: oldest first, or largest held amount first. Reversals hold nothing. */
export type PendingOrder = "age" | "amount"

/** A page of sales. */
export interface OwnedSlice<A> {
  readonly items: ReadonlyArray<A>
  /** Ids of sales on this page that this version cannot read. The total includes them, but `items` does not. */
  readonly unreadable: ReadonlyArray<number>
  /** Null if more pages follow and the sales were not counted, because counting would take long. */
  readonly total: number | null
}

/** Unresolved operations of one environment and supplier, with an age between a bound and the next one. */
export interface PendingBand {
  readonly environment: Environment
  readonly supplier: Supplier
  /** One of `ageBands_s`. */
  readonly from_s: number
  readonly sales: number
  /** Reversals hold no money. */
  readonly reversals: number
  readonly held: Centavos
}

/** A page of unresolved operations, with totals over all of them. */
export interface PendingSlice extends OwnedSlice<PendingTransaction> {
  readonly total: number
  readonly reversals: number
  readonly held: Centavos
  /** The totals by age and supplier. Bands without operations are absent. */
  readonly bands: ReadonlyArray<PendingBand>
}

/** Reads the sales of all companies, for the operator. */
export class AllTransactions extends Context.Service<
  AllTransactions,
  {
    /**
     * Newest first. A range of days without a company reads all sales of these days, so the range should be short.
     */
    readonly list: (filter: OwnedFilter, page: Page) => Effect.Effect<OwnedSlice<OwnedTransaction>, PageTooDeep>
    /** The sales that match a search and the filter, newest first. */
    readonly find: (
      sought: SoughtSale,
      filter: OwnedFilter,
      page: Page
    ) => Effect.Effect<OwnedSlice<OwnedTransaction>, PageTooDeep>
    /** Sales and reversals with unknown outcome. `now` determines their ages. */
    readonly pending: (
      filter: PendingFilter,
      order: PendingOrder,
      page: Page,
      now: DateTime.Utc
    ) => Effect.Effect<PendingSlice, PageTooDeep>
  }
>()("saldo/core/AllTransactions") {}

/** Reads a company's sales. Contract: 4.7. */
export class Transactions extends Context.Service<
  Transactions,
  {
    readonly find: (companyId: CompanyId, id: TransactionId) => Effect.Effect<Option.Option<Transaction>>
    /** Newest first. */
    readonly list: (
      companyId: CompanyId,
      filter: TransactionFilter,
      page: Page
    ) => Effect.Effect<FrozenSlice<KeyedTransaction>>
  }
>()("saldo/core/Transactions") {}
