import type { Sale } from "../../adapters/memory/Books.ts"
import type { Balance } from "../../core/domain/Balance.ts"
import type { Entry } from "../../core/domain/Entry.ts"
import type { TransactionId } from "../../core/domain/Ids.ts"
import type { Invariant } from "../../core/domain/Invariants.ts"
import type { Limits } from "../../core/domain/Limits.ts"
import type { Reversal } from "../../core/domain/Reversal.ts"

/** A sale as the laws look at it. */
export type SaleSeen = Pick<Sale, "order" | "key" | "status" | "day" | "billId">

/** A reversal that nobody has settled. */
export interface ReversalSeen extends Pick<Reversal, "xid" | "createdAt"> {
  readonly transactionId: TransactionId
}

/** An entry of the ledger that an operator made. */
export type ByHand = Pick<Entry, "type" | "amount" | "reference">

/** What can be seen of the database from above. */
interface Eyes {
  readonly balance: (companyId: number) => Balance
  readonly limits: (companyId: number) => Limits
  readonly sales: (companyId: number) => Iterable<SaleSeen>
  /** What operators did to the money. */
  readonly byHand: (companyId: number) => Iterable<ByHand>
  readonly undecided: (companyId: number) => Iterable<ReversalSeen>
}

/** Who is told of what is seen. */
export interface Watch {
  readonly seen: (sales: Iterable<SaleSeen>) => void
  readonly unsound: (invariant: Invariant, what: string) => void
}

/** A database as the laws see it. */
export interface Observed {
  /** Whether answers are heard in the order in which the database gave them. */
  readonly isHeardInOrder: boolean
  readonly eyes: Eyes
  /** Something was written, of a company's money unless null: it is looked at, now or soon. */
  readonly wrote: (companyId: number | null) => void
  /** Looks at the database: at once where that costs nothing, or else when it is next looked at as a whole. */
  readonly look: (check: () => void) => void
}
