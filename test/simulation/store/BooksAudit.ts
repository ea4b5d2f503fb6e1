import { hash } from "node:crypto"
import { DateTime, Struct } from "effect"
import type { CompanyBooks, Sale } from "../../../adapters/memory/Books.ts"
import { type Entry, owned } from "../../../core/domain/Account.ts"
import { type Closing, chainFault } from "../../../core/domain/Closing.ts"
import type { TransactionId } from "../../../core/domain/Ids.ts"
import type { Insurance } from "../../../core/domain/Insurance.ts"
import type { CellInvariant, Invariant } from "../../../core/domain/Invariants.ts"
import { isUnresolved } from "../../../core/domain/Status.ts"
import { closedDayProblem, endOf } from "./ClosedDays.ts"

/** The ledger entries of one sale. */
interface Posted {
  readonly entries: number
  readonly charged: number
  readonly returned: number
}

/** Totals of a company's books, computed in one pass. */
interface Tally {
  readonly books: CompanyBooks
  readonly posted: ReadonlyMap<TransactionId, Posted>
  readonly ledger: number
  readonly held: number
  readonly spent: ReadonlyMap<string, number>
  /** Number of confirmed reversals of each sale. */
  readonly confirmed: ReadonlyMap<TransactionId, number>
}

const nothing: Posted = { entries: 0, charged: 0, returned: 0 }

const isConsumed = ({ status }: Sale): boolean =>
  status === "SUCCESS" || status === "PROCESSING" || status === "PENDING"

const tallyOf = (books: CompanyBooks): Tally => {
  const posted = new Map<TransactionId, Posted>()
  const spent = new Map<string, number>()
  let ledger = 0
  let held = 0
  for (const { amount, transactionId, type } of books.entries) {
    ledger += amount
    if (transactionId === null) continue
    const { charged, entries, returned } = posted.get(transactionId) ?? nothing
    posted.set(transactionId, {
      entries: entries + 1,
      charged: type === "sale" ? charged + amount : charged,
      returned: type === "reversal" ? returned + amount : returned
    })
  }
  for (const sale of books.sales.values()) {
    const { amount } = sale.order
    if (isUnresolved(sale)) held += amount
    if (isConsumed(sale)) spent.set(sale.day, (spent.get(sale.day) ?? 0) + amount)
  }
  const confirmed = new Map<TransactionId, number>()
  for (const { reversal, status } of books.reversals.values()) {
    const { transactionId } = reversal.order
    if (status === "CONFIRMED") confirmed.set(transactionId, (confirmed.get(transactionId) ?? 0) + 1)
  }
  return { books, posted, ledger, held, spent, confirmed }
}

/** Closings that an earlier audit found sound. They are not checked again, because a closing never changes in place. */
const unbroken = new WeakSet<Closing>()

const sha256 = (text: string): string => hash("sha256", text, "hex")

const problemIf = (wrong: boolean, what: () => string): string | null => (wrong ? what() : null)

/** The first problem that a check finds in a list; null if it finds none. */
const firstProblem = <A>(all: Iterable<A>, look: (each: A) => string | null): string | null => {
  for (const one of all) {
    const wrong = look(one)
    if (wrong !== null) return wrong
  }
  return null
}

const named = ({ order }: Sale): string => `sale ${order.transactionId}`

const eachTwice = (sales: Iterable<Sale>, nameOf: (sale: Sale) => string | number | null): string | null => {
  const seen = new Set<string | number>()
  return firstProblem(sales, (sale) => {
    const name = nameOf(sale)
    if (name === null) return null
    if (seen.has(name)) return `${name} belongs to ${named(sale)} and to another sale`
    seen.add(name)
    return null
  })
}

const saleStatusesByState: Readonly<Record<string, ReadonlyArray<string>>> = {
  cobrando: ["PROCESSING", "PENDING"],
  emitiendo: ["PROCESSING", "PENDING"],
  emitida: ["SUCCESS"],
  fallida: ["FAILED"]
}

const insured = ({ sales }: CompanyBooks, { id, state, transactionId }: Insurance): string | null => {
  const wanted = saleStatusesByState[state]
  if (wanted === undefined) return problemIf(transactionId !== null, () => `insurance ${id} is ${state} but has a sale`)
  const sale = transactionId === null ? undefined : sales.get(transactionId)
  const right = sale?.insuranceId === id && wanted.includes(sale.status)
  return problemIf(!right, () => `insurance ${id} is ${state}, but sale ${transactionId} is ${sale?.status}`)
}

const runningFrom = (entries: ReadonlyArray<Entry>): string | null => {
  let before = 0
  return firstProblem(entries, ({ amount, balance, id }) => {
    const wrong = balance !== before + amount
    before = balance
    return problemIf(wrong, () => `the running balance of entry ${id} is wrong: ${balance}`)
  })
}

const fundedIn = ({ adjustments, entries, funding }: CompanyBooks): string | null => {
  const confirmed = [...funding.values()].filter(({ state }) => state === "confirmed")
  return (
    firstProblem(confirmed, ({ amount, decision, entryId, kind, number, proposedBy, reference }) => {
      const entry = entries.find(({ id }) => id === entryId)
      const right = entry?.type === kind && entry.amount === amount && entry.reference === reference
      return problemIf(
        !right || decision?.by === proposedBy,
        () => `proposal ${number} has entry ${JSON.stringify(entry)}`
      )
    }) ??
    firstProblem(entries, ({ id, reference, type }) => {
      const agreed = confirmed.filter(({ entryId }) => entryId === id).length
      const right = agreed === 1 || (agreed === 0 && (type !== "adjustment" || adjustments.has(reference ?? "")))
      return problemIf(!right, () => `${type} ${id} has ${agreed} confirmed proposals`)
    })
  )
}

/**
 * A check for each invariant of a company, which returns the problem or null. `listed` and `sublisted` are left out,
 * because only the database has list blocks.
 */
const invariantChecks: Record<
  Exclude<Invariant, CellInvariant | "listed" | "sublisted">,
  (tally: Tally) => string | null
> = {
  owned: ({ books: { purse }, ledger }) =>
    problemIf(owned(purse.balance) !== ledger, () => `owned ${owned(purse.balance)}, ledger ${ledger}`),
  held: ({ books: { purse }, held }) =>
    problemIf(purse.balance.held !== held, () => `held ${purse.balance.held}, unresolved ${held}`),
  available: ({ books: { purse } }) =>
    problemIf(purse.balance.available < 0 || purse.balance.held < 0, () => JSON.stringify(purse.balance)),
  consumption: ({ books: { consumption }, spent }) =>
    firstProblem(new Set([...consumption.keys(), ...spent.keys()]), (day) =>
      problemIf((consumption.get(day) ?? 0) !== (spent.get(day) ?? 0), () => {
        return `${day}: counted ${consumption.get(day) ?? 0}, sold ${spent.get(day) ?? 0}`
      })
    ),
  xid: ({ books }) => eachTwice(books.sales.values(), ({ order, status }) => (status === "FAILED" ? null : order.xid)),
  sale: ({ books, posted }) =>
    firstProblem(books.sales.values(), (sale) => {
      if (sale.status !== "SUCCESS") return null
      const { charged, entries } = posted.get(sale.order.transactionId) ?? nothing
      return problemIf(entries !== 1 || charged !== -sale.order.amount, () => `${named(sale)} has ${entries} entries`)
    }),
  reversal: ({ books, posted }) =>
    firstProblem(books.sales.values(), (sale) => {
      if (sale.status !== "REVERSED") return null
      const { amount, transactionId } = sale.order
      const { charged, entries, returned } = posted.get(transactionId) ?? nothing
      const right = entries === 2 && charged === -amount && returned === amount
      return problemIf(!right, () => `${named(sale)} has ${entries} entries, ${returned} returned`)
    }),
  confirmed: ({ books: { sales }, confirmed }) =>
    firstProblem(new Set([...sales.keys(), ...confirmed.keys()]), (id) => {
      const status = sales.get(id)?.status
      const reversals = confirmed.get(id) ?? 0
      const right = reversals === (status === "REVERSED" ? 1 : 0)
      return problemIf(!right, () => `sale ${id} is ${status}, but has ${reversals} confirmed reversals`)
    }),
  entry: ({ books: { sales }, posted }) =>
    firstProblem(posted.keys(), (id) => {
      const status = sales.get(id)?.status
      return problemIf(status !== "SUCCESS" && status !== "REVERSED", () => `sale ${id} is ${status}, but has an entry`)
    }),
  funded: ({ books }) => fundedIn(books),
  running: ({ books: { entries } }) => runningFrom(entries),
  insured: ({ books }) =>
    firstProblem(books.insurances.values(), (insurance) => insured(books, insurance)) ??
    firstProblem(books.sales.values(), (sale) => {
      if (sale.insuranceId === null || sale.status === "FAILED") return null
      const { transactionId } = books.insurances.get(sale.insuranceId) ?? { transactionId: null }
      return problemIf(
        transactionId !== sale.order.transactionId,
        () => `insurance ${sale.insuranceId} does not name ${named(sale)}`
      )
    }),
  quote: ({ books }) =>
    eachTwice(books.sales.values(), (sale) =>
      isConsumed(sale) && sale.insuranceId !== null ? sale.insuranceId : null
    ),
  policy: ({ books }) =>
    firstProblem(books.insurances.values(), ({ id, policy, transactionId }) => {
      const sale = transactionId === null ? undefined : books.sales.get(transactionId)
      const number = sale?.status === "SUCCESS" ? (sale.delivery?.authCode ?? null) : null
      return problemIf((policy?.number ?? null) !== number, () => `insurance ${id} has policy ${policy?.number}`)
    }),
  closed: ({ books }) => firstProblem(books.closings, ({ content }) => closedDayProblem(books, content)),
  sealed: ({ books: { closings, openFrom } }) =>
    firstProblem(closings.entries(), ([index, closing]) => {
      const { day } = closing.content
      if (DateTime.toEpochMillis(openFrom) < endOf(day)) return `the closing of ${day} is open`
      if (unbroken.has(closing)) return null
      const fault = chainFault(closing, closings[index - 1] ?? null, sha256)
      if (fault === null) unbroken.add(closing)
      return problemIf(fault !== null, () => `the closing of ${day}: ${fault}`)
    })
}

const audited = Struct.keys(invariantChecks)

/** The first invariant that the in-memory books of a company violate; null if they violate none. */
export const auditBooks = (books: CompanyBooks): { readonly invariant: Invariant; readonly what: string } | null => {
  const tally = tallyOf(books)
  for (const invariant of audited) {
    const what = invariantChecks[invariant](tally)
    if (what !== null) return { invariant, what }
  }
  return null
}
