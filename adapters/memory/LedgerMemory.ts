import { DateTime, Effect, Layer, Result } from "effect"
import { checkLimits, confirm, credit, owned, release, reserve } from "../../core/domain/Account.ts"
import { DuplicateTransaction } from "../../core/domain/Errors.ts"
import { TransactionId } from "../../core/domain/Ids.ts"
import type { Insurance } from "../../core/domain/Insurance.ts"
import { afterEvent } from "../../core/domain/InsuranceState.ts"
import { periodsAt } from "../../core/domain/LocalTime.ts"
import { owned_max } from "../../core/domain/Money.ts"
import { nextAsk, orphanedAfter } from "../../core/domain/Recovery.ts"
import { type Intent, type Order, type Outcome, outcomeOf } from "../../core/domain/Sale.ts"
import { isUnresolved } from "../../core/domain/Status.ts"
import { foldedText } from "../../core/domain/Text.ts"
import {
  type Deposit,
  Deposited,
  type KeyError,
  Ledger,
  QuoteChanged,
  Reserved,
  type ReserveError,
  type Settled,
  type Settlement
} from "../../core/ports/Ledger.ts"
import {
  Books,
  type CompanyBooks,
  consume,
  consumptionIn,
  type KeyEntry,
  post,
  type Sale,
  saleOf,
  timeIn
} from "./Books.ts"
import { movementFact, policyFact, recordEvents, saleFact } from "./EventsMemory.ts"
import { answerKey, checkKey, isSaleKey, type KeyUse, keyOf } from "./KeysMemory.ts"
import { concludes } from "./UnresolvedMemory.ts"

/** The response or the error of a known key. */
const answerOf = (books: CompanyBooks, known: KeyEntry, call: KeyUse): Result.Result<Outcome, KeyError> =>
  Result.map(checkKey(books, known, call), () => {
    if (known.reversalId !== null || known.outcome === null) throw new Error("no sale has such a key and fingerprint")
    return known.outcome
  })

const reserveIn = (
  books: CompanyBooks,
  intent: Intent,
  id: number,
  clock: DateTime.Utc
): Result.Result<Reserved, ReserveError> =>
  Result.gen(function* () {
    const now = timeIn(books, clock)
    const known = books.keys.get(intent.key)
    if (known !== undefined) {
      const outcome = yield* answerOf(books, known, { fingerprint: intent.fingerprint, now: clock })
      return Reserved.Replay({ outcome })
    }
    const periods = periodsAt(now)
    const paidBy = paying(books, intent.billId)
    if (paidBy !== undefined)
      yield* Result.fail(new DuplicateTransaction({ transactionId: paidBy.order.transactionId }))
    const quoted = quotedFor(books, intent, now)
    if (quoted === "changed") yield* Result.fail(new QuoteChanged())
    yield* checkLimits(books.purse.limits, consumptionIn(books, periods), intent.amount)
    const balance = yield* reserve(books.purse.balance, intent.amount)
    const transactionId = TransactionId.make(id)
    const { amount, companyId, environment, fingerprint, identifier, key, product, reference, service } = intent
    const sold = { service, identifier, amount, product, reference }
    const order = { ...sold, companyId, transactionId, environment, xid: intent.xid, createdAt: now }
    books.purse = { ...books.purse, balance, updatedAt: now }
    consume(books, periods.day, amount)
    books.keys.set(key, { fingerprint, transactionId, claimedAt: clock, reversalId: null, outcome: null })
    books.sales.set(transactionId, {
      order,
      key,
      terminalId: intent.terminalId,
      billId: intent.billId,
      insuranceId: intent.insuranceId,
      reversible: intent.reversible,
      day: periods.day,
      status: "PROCESSING",
      delivery: null,
      processedAt: null,
      askAt: DateTime.addDuration(clock, orphanedAfter),
      askedAt: null,
      leasedUntil: null,
      notFound: 0
    })
    if (quoted !== null && quoted !== "changed") {
      books.insurances.set(quoted.id, { ...quoted, state: "cobrando", transactionId })
    }
    recordEvents(books, [], now)
    return Reserved.Reservation({ order })
  })

/** The sale that pays this bill and is unresolved or successful. Undefined if there is no such sale. */
const paying = (books: CompanyBooks, billId: string | null): Sale | undefined =>
  billId === null
    ? undefined
    : [...books.sales.values()].find(
        (sale) => sale.billId === billId && (isUnresolved(sale) || sale.status === "SUCCESS")
      )

/** The insurance that the sale buys, if its quote still matches the sale. Null for sales that buy no insurance. */
const quotedFor = (
  { insurances }: CompanyBooks,
  { amount, insuranceId, reference }: Intent,
  now: DateTime.Utc
): Insurance | "changed" | null => {
  if (insuranceId === null) return null
  const insurance = insurances.get(insuranceId)
  const quote = insurance?.state === "cotizado" ? insurance.quote : null
  const stands =
    quote?.total === amount && quote.reference === reference && DateTime.isGreaterThan(quote.expiresAt, now)
  return insurance !== undefined && stands ? insurance : "changed"
}

/** Whether a later sale with the same xid was not refused. */
const isRepeated = ({ sales }: CompanyBooks, { transactionId, xid }: Order): boolean =>
  [...sales.values()].some(
    ({ order, status }) => order.xid === xid && order.transactionId > transactionId && status !== "FAILED"
  )

const settleIn = (books: CompanyBooks, asked: Settlement, nextEntryId: () => number): Settled => {
  const { transactionId } = asked.order
  const before = saleOf(books, transactionId)
  const settlement = { ...asked, at: timeIn(books, asked.at) }
  const won = isUnresolved(before) && concludes(before, settlement)
  if (won) {
    books.sales.set(transactionId, settled(before, asked, settlement.at))
    moveMoney(books, before, settlement, nextEntryId)
    settlePolicy(books, before, settlement)
    const { at, toldPending, verdict } = asked
    answerKey(books, before.key, keyOfSale(books, before), verdict, () =>
      outcomeOf(before.order, verdict, at, toldPending)
    )
    recordEvents(books, factsOf(books, before, settlement), settlement.at)
  }
  return {
    won,
    status: saleOf(books, transactionId).status,
    isRepeated: !won && before.status === "FAILED" && isRepeated(books, before.order),
    outcome: keyOfSale(books, before)?.outcome ?? null
  }
}

const saleEvents = {
  Confirm: "transaction.succeeded",
  Release: "transaction.failed",
  Free: "transaction.failed",
  Hold: "transaction.pending"
} as const

/** The events of a settlement. A PENDING sale that stays held has no event. */
const factsOf = (books: CompanyBooks, { insuranceId, order, status }: Sale, { verdict }: Settlement) => {
  if (verdict._tag === "Hold" && status !== "PROCESSING") return []
  const { transactionId } = order
  const sold = saleFact(books, saleEvents[verdict._tag], transactionId)
  const insurance = insuranceId === null ? undefined : books.insurances.get(insuranceId)
  return insurance === undefined || verdict._tag === "Hold" || verdict._tag === "Free"
    ? [sold]
    : [sold, policyFact(insurance, transactionId)]
}

const keyOfSale = (books: CompanyBooks, { key, order }: Sale) => keyOf(books, isSaleKey, key, order.transactionId)

const statusAfter = { Confirm: "SUCCESS", Release: "FAILED", Free: "FAILED", Hold: "PENDING" } as const

const settled = (sale: Sale, { at, notFound, verdict }: Settlement, processedAt: DateTime.Utc): Sale => ({
  ...sale,
  status: statusAfter[verdict._tag],
  delivery: verdict._tag === "Confirm" ? verdict.delivery : null,
  processedAt: verdict._tag === "Hold" ? null : processedAt,
  askAt: verdict._tag === "Hold" ? nextAsk(sale.order.createdAt, at) : null,
  leasedUntil: null,
  notFound
})

const policyEvents = { Confirm: "issued", Release: "refused", Free: "freed", Hold: "held" } as const

/** Settles the policy of a sale together with the money. */
const settlePolicy = (books: CompanyBooks, { insuranceId }: Sale, { at, verdict }: Settlement): void => {
  const insurance = insuranceId === null ? undefined : books.insurances.get(insuranceId)
  if (insurance === undefined) return
  const delivery = verdict._tag === "Confirm" ? verdict.delivery : null
  books.insurances.set(insurance.id, {
    ...insurance,
    state: Result.getOrThrow(afterEvent(insurance.state, policyEvents[verdict._tag])),
    transactionId: verdict._tag === "Free" ? null : insurance.transactionId,
    policy:
      delivery?.validity === undefined ? null : { number: delivery.authCode, validity: delivery.validity, issuedAt: at }
  })
}

const moveMoney = (
  books: CompanyBooks,
  { day, order: { amount, transactionId } }: Sale,
  { at, verdict }: Settlement,
  nextEntryId: () => number
): void => {
  if (verdict._tag === "Hold") return
  const move = verdict._tag === "Confirm" ? confirm : release
  const balance = move(books.purse.balance, amount)
  if (verdict._tag === "Confirm") {
    post(books, balance, { id: nextEntryId(), type: "sale", amount: -amount, transactionId }, at)
  } else {
    books.purse = { ...books.purse, balance, updatedAt: at }
    consume(books, day, -amount)
  }
}

/** The company's deposit with this reference, compared without case and spacing. */
export const depositWith = ({ entries }: CompanyBooks, reference: string) =>
  entries.find((entry) => entry.type === "deposit" && foldedText(entry.reference ?? "") === foldedText(reference))

/** Another company that has a deposit with this reference. Null if there is none. */
export const depositElsewhere = (
  { all }: Books["Service"],
  own: CompanyBooks,
  reference: string
): CompanyBooks["companyId"] | null => {
  const others = [...all()].filter((other) => other !== own && depositWith(other, reference) !== undefined)
  return others.map(({ companyId }) => companyId).sort((one, other) => one - other)[0] ?? null
}

export const depositIn = (
  all: Books["Service"],
  { amount, at: clock, companyId, isNew = false, reference }: Deposit
): Deposited => {
  const books = all.of(companyId)
  const at = timeIn(books, clock)
  const known = depositWith(books, reference)
  if (known !== undefined)
    return Deposited.AlreadyRecorded({ entryId: known.id, amount: known.amount as typeof amount })
  const other = isNew ? depositElsewhere(all, books, reference) : null
  if (other !== null) return Deposited.UsedElsewhere({ companyId: other })
  if (owned(books.purse.balance) > owned_max - amount) return Deposited.BeyondRange()
  const balance = credit(books.purse.balance, amount)
  const entryId = all.nextEntryId()
  post(books, balance, { id: entryId, type: "deposit", amount, reference }, at)
  recordEvents(books, movementFact(books, "balance.deposited"), at)
  return Deposited.Recorded({ entryId })
}

// Each method works in one synchronous step, so that no other fiber sees a partial change.
const make = Effect.map(Books, (books) => {
  const { nextEntryId, nextTransactionId, of } = books
  return Ledger.of({
    reserve: (intent) =>
      Effect.flatMap(DateTime.now, (now) =>
        Effect.fromResult(reserveIn(of(intent.companyId), intent, nextTransactionId(), now))
      ),
    recall: (companyId, key, fingerprint) =>
      Effect.flatMap(DateTime.now, (now) => {
        const company = of(companyId)
        const known = company.keys.get(key)
        if (known === undefined) return Effect.succeed(null)
        return Effect.fromResult(answerOf(company, known, { fingerprint, now }))
      }),
    settle: (settlement) => Effect.sync(() => settleIn(of(settlement.order.companyId), settlement, nextEntryId)),
    deposit: (deposit) => Effect.sync(() => depositIn(books, deposit))
  })
})

/** `Ledger` in memory, built on the rules of core/domain. Tests compare the Postgres adapter with it. */
export const layer = Layer.effect(Ledger, make)
