import type { Sale } from "../../adapters/memory/Books.ts"
import type { Balance } from "../../core/domain/Balance.ts"
import type { Entry } from "../../core/domain/Entry.ts"
import type { TransactionId } from "../../core/domain/Ids.ts"
import type { Invariant } from "../../core/domain/Invariants.ts"
import type { Limits } from "../../core/domain/Limits.ts"
import type { Reversal } from "../../core/domain/Reversal.ts"

/** The fields of a sale that the invariants read. */
export type SaleSeen = Pick<Sale, "order" | "key" | "status" | "day" | "billId">

/** A reversal that is not settled. */
export interface ReversalSeen extends Pick<Reversal, "xid" | "createdAt"> {
  readonly transactionId: TransactionId
}

/** A ledger entry that an operator made: a deposit or an adjustment. */
export type ByHand = Pick<Entry, "type" | "amount" | "reference">

/** Reads the database for the invariants, outside the simulated connections. */
interface Eyes {
  readonly balance: (companyId: number) => Balance
  readonly limits: (companyId: number) => Limits
  readonly sales: (companyId: number) => Iterable<SaleSeen>
  /** The entries that operators made. */
  readonly byHand: (companyId: number) => Iterable<ByHand>
  readonly undecided: (companyId: number) => Iterable<ReversalSeen>
}

/** Receives what a look at the database finds. */
export interface Watch {
  readonly seen: (sales: Iterable<SaleSeen>) => void
  readonly unsound: (invariant: Invariant, what: string) => void
}

/** The database as the invariants read it. */
export interface Observed {
  /** Whether responses arrive in the order of their transactions. */
  readonly isHeardInOrder: boolean
  readonly eyes: Eyes
  /** Reports a write to a company's data; null when no company's money changed. The store checks it now or soon. */
  readonly wrote: (companyId: number | null) => void
  /** Runs a check on the database: at once on memory, with the next snapshot on SQL. */
  readonly look: (check: () => void) => void
}
