import { Context, type DateTime, Layer } from "effect"
import type { Balance } from "../../core/domain/Balance.ts"
import type { CompanyId, IdempotencyKey, TerminalId, TransactionId } from "../../core/domain/Ids.ts"
import { type Consumption, defaultLimits, type Limits } from "../../core/domain/Limits.ts"
import type { Periods } from "../../core/domain/LocalTime.ts"
import { Centavos, zero } from "../../core/domain/Money.ts"
import type { Delivery, Order, Outcome } from "../../core/domain/Sale.ts"
import type { Status } from "../../core/domain/Status.ts"

/** A company's money and what bounds it. */
interface Purse {
  readonly balance: Balance
  readonly limits: Limits
  readonly lowBalanceAlert: Centavos
  /** Null for a company whose money has never moved. */
  readonly updatedAt: DateTime.Utc | null
}

/** A key and the sale that it names; no outcome yet while the sale is in progress. */
export interface KeyEntry {
  readonly owner: string
  readonly fingerprint: string
  readonly transactionId: TransactionId
  readonly claimedAt: DateTime.Utc
  readonly outcome: Outcome | null
}

/** A sale with what recovery knows of it. */
export interface Sale {
  readonly order: Order
  readonly key: IdempotencyKey
  readonly terminalId: TerminalId | null
  readonly billId: string | null
  /** The local day whose consumption it counts in. */
  readonly day: string
  readonly status: Status
  readonly delivery: Delivery | null
  readonly processedAt: DateTime.Utc | null
  readonly askAt: DateTime.Utc | null
  readonly askedAt: DateTime.Utc | null
  readonly leasedUntil: DateTime.Utc | null
  readonly notFound: number
}

/** An entry of the ledger: what moved, in signed centavos, and what was owned afterwards. */
interface Entry {
  readonly id: number
  readonly type: "deposit" | "sale"
  readonly amount: number
  readonly balance: Centavos
  readonly transactionId: TransactionId | null
  readonly reference: string | null
  readonly createdAt: DateTime.Utc
}

/** Everything that belongs to one company. */
export interface CompanyBooks {
  purse: Purse
  readonly keys: Map<IdempotencyKey, KeyEntry>
  readonly sales: Map<TransactionId, Sale>
  readonly consumption: Map<string, Centavos>
  readonly entries: Array<Entry>
}

const emptyBooks = (): CompanyBooks => ({
  purse: {
    balance: { available: zero, held: zero },
    limits: defaultLimits,
    lowBalanceAlert: zero,
    updatedAt: null
  },
  keys: new Map(),
  sales: new Map(),
  consumption: new Map(),
  entries: []
})

/** May the sale still be settled? Contract: 3.1. */
export const isUnresolved = ({ status }: Sale): boolean => status === "PROCESSING" || status === "PENDING"

/** What the company has spent or holds in each period. Contract: 2.3. */
export const consumptionIn = ({ consumption }: CompanyBooks, { day, month, week }: Periods): Consumption => {
  const since = (first: string): Centavos => {
    let total = 0
    for (const [spentOn, amount] of consumption) if (spentOn >= first && spentOn <= day) total += amount
    return Centavos.make(total)
  }
  return { daily: since(day), weekly: since(week), monthly: since(month) }
}

/** The books of all companies, in this process's memory, shared by the ports that read and write them. */
export class Books extends Context.Service<
  Books,
  {
    readonly of: (companyId: CompanyId) => CompanyBooks
    readonly all: () => IterableIterator<CompanyBooks>
    readonly nextTransactionId: () => number
    readonly nextEntryId: () => number
  }
>()("saldo/adapters/memory/Books") {
  static readonly layer = Layer.sync(Books, () => {
    const companies = new Map<CompanyId, CompanyBooks>()
    let transactions = 0
    let entries = 0
    return Books.of({
      of: (companyId) => {
        const known = companies.get(companyId) ?? emptyBooks()
        companies.set(companyId, known)
        return known
      },
      all: () => companies.values(),
      nextTransactionId: () => ++transactions,
      nextEntryId: () => ++entries
    })
  })
}
