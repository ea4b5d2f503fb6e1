import { DateTime, Effect, Layer, Result } from "effect"
import { credit } from "../../core/domain/Account.ts"
import { NotFound, NotReversible, RequestInProgress, ReversalNotSupported } from "../../core/domain/Errors.ts"
import { nextAsk, orphanedAfter } from "../../core/domain/Recovery.ts"
import {
  type ReversalIntent,
  type ReversalOutcome,
  reversalOutcomeOf,
  type UnresolvedReversal
} from "../../core/domain/Reversal.ts"
import { isUnresolved } from "../../core/domain/Status.ts"
import type { KeyError } from "../../core/ports/Ledger.ts"
import {
  Begun,
  type ClaimedReversal,
  type ReversalSettled,
  type ReversalSettlement,
  Reversals
} from "../../core/ports/Reversals.ts"
import type { RecoveryClaim } from "../../core/ports/Unresolved.ts"
import {
  Books,
  type CompanyBooks,
  consume,
  type KeyEntry,
  post,
  type ReversalEntry,
  reversalOf,
  type Sale,
  saleOf,
  timeIn
} from "./Books.ts"
import { recordEvents, saleFact } from "./EventsMemory.ts"
import { answerKey, checkKey, isReversalKey, keyOf } from "./KeysMemory.ts"
import { transactionOf } from "./TransactionsMemory.ts"
import { claimable, concludes, leased } from "./UnresolvedMemory.ts"

/**
 * The unresolved or confirmed reversal that meets the condition. A denied reversal does not count, because its sale may
 * be reversed again.
 */
const standing = (books: CompanyBooks, is: (entry: ReversalEntry) => boolean): ReversalEntry | undefined =>
  [...books.reversals.values()].find((entry) => entry.status !== "DENIED" && is(entry))

/** A reversal with its sale. */
export const unresolvedReversalOf = (books: CompanyBooks, { reversal }: ReversalEntry): UnresolvedReversal => ({
  reversal,
  transaction: transactionOf(books, saleOf(books, reversal.order.transactionId))
})

const replayOf = (
  books: CompanyBooks,
  known: KeyEntry,
  { fingerprint }: ReversalIntent,
  now: DateTime.Utc
): Result.Result<ReversalOutcome, KeyError> =>
  Result.map(checkKey(books, known, { fingerprint, now }), () => {
    if (known.reversalId === null || known.outcome === null)
      throw new Error("no reversal has such a key and fingerprint")
    return known.outcome
  })

/** The sale, if it may be reversed. Otherwise fails with the reason. */
const reversibleOf = (books: CompanyBooks, { transactionId }: ReversalIntent) =>
  Result.gen(function* () {
    const sale = books.sales.get(transactionId)
    if (sale === undefined) return yield* Result.fail(new NotFound())
    if (!sale.reversible) return yield* Result.fail(new ReversalNotSupported())
    if (sale.status !== "SUCCESS") return yield* Result.fail(new NotReversible())
    if (standing(books, ({ reversal }) => reversal.order.transactionId === transactionId) !== undefined)
      return yield* Result.fail(new RequestInProgress({ transactionId }))
    return sale
  })

const beginIn = (books: CompanyBooks, intent: ReversalIntent, nextId: () => number, now: DateTime.Utc) =>
  Result.gen(function* () {
    const { fingerprint, key, transactionId, xid } = intent
    const known = books.keys.get(key)
    if (known !== undefined) {
      return Begun.Replay({ outcome: yield* replayOf(books, known, intent, now) })
    }
    const { order }: Sale = yield* reversibleOf(books, intent)
    const id = nextId()
    const entry: ReversalEntry = {
      reversal: { id, xid, createdAt: now, order },
      key,
      status: "PROCESSING",
      processedAt: null,
      askAt: DateTime.addDuration(now, orphanedAfter),
      askedAt: null,
      leasedUntil: null,
      notFound: 0
    }
    books.reversals.set(id, entry)
    books.keys.set(key, {
      fingerprint,
      transactionId,
      claimedAt: now,
      reversalId: id,
      outcome: null
    })
    return Begun.Begun({ unresolved: unresolvedReversalOf(books, entry) })
  })

const statusAfter = { Confirm: "CONFIRMED", Deny: "DENIED", Free: "DENIED", Hold: "PENDING" } as const

const settleIn = (books: CompanyBooks, settlement: ReversalSettlement, nextEntryId: () => number): ReversalSettled => {
  const { notFound, toldPending, unresolved, verdict } = settlement
  const { id } = unresolved.reversal
  const before = reversalOf(books, id)
  const at = timeIn(books, settlement.at)
  const won = isUnresolved(before) && concludes(before, settlement)
  if (won) {
    books.reversals.set(id, {
      ...before,
      status: statusAfter[verdict._tag],
      processedAt: verdict._tag === "Hold" ? null : at,
      askAt: verdict._tag === "Hold" ? nextAsk(before.reversal.createdAt, settlement.at) : null,
      leasedUntil: null,
      notFound
    })
    if (verdict._tag === "Confirm") returnMoney(books, saleOf(books, unresolved.transaction.id), at, nextEntryId)
    answerKey(books, before.key, keyOfReversal(books, before), verdict, () =>
      reversalOutcomeOf(unresolved, verdict, settlement.at, toldPending)
    )
    if (verdict._tag !== "Hold") {
      const type = verdict._tag === "Confirm" ? "transaction.reversed" : "reversal.failed"
      recordEvents(books, [saleFact(books, type, unresolved.transaction.id)], at)
    }
  }
  const isRepeated =
    before.status === "DENIED" &&
    [...books.reversals.values()].some(
      ({ reversal, status }) => reversal.xid === unresolved.reversal.xid && reversal.id > id && status !== "DENIED"
    )
  const outcome = keyOfReversal(books, before)?.outcome ?? null
  return { won, status: reversalOf(books, id).status, isRepeated, outcome }
}

const returnMoney = (books: CompanyBooks, sale: Sale, at: DateTime.Utc, nextEntryId: () => number): void => {
  const { amount, transactionId } = sale.order
  const balance = credit(books.purse.balance, amount)
  books.sales.set(transactionId, { ...sale, status: "REVERSED" })
  consume(books, sale.day, -amount)
  post(books, balance, { id: nextEntryId(), type: "reversal", amount, transactionId }, at)
}

const keyOfReversal = (books: CompanyBooks, { key, reversal }: ReversalEntry) =>
  keyOf(books, isReversalKey, key, reversal.order.transactionId)

const claimIn = (companies: Iterable<CompanyBooks>, claim: RecoveryClaim): ReadonlyArray<ClaimedReversal> => {
  const entries = [...companies].flatMap((books) => [...books.reversals.values()].map((entry) => ({ ...entry, books })))
  return claimable(entries, claim).map(({ books, ...entry }) => {
    books.reversals.set(entry.reversal.id, { ...entry, ...leased(claim) })
    return {
      unresolved: unresolvedReversalOf(books, entry),
      claimedAt: claim.now,
      notFound: entry.notFound,
      askAt: entry.askAt
    }
  })
}

// Each method works in one synchronous step, so that no other fiber sees a partial change.
const make = Effect.map(Books, ({ all, nextEntryId, nextReversalId, of }) =>
  Reversals.of({
    begin: (intent) =>
      Effect.flatMap(DateTime.now, (now) =>
        Effect.fromResult(beginIn(of(intent.companyId), intent, nextReversalId, now))
      ),
    settle: (settlement) =>
      Effect.sync(() => settleIn(of(settlement.unresolved.reversal.order.companyId), settlement, nextEntryId)),
    claim: (claim) => Effect.sync(() => claimIn(all(), claim))
  })
)

/** `Reversals` in memory. Tests compare the Postgres adapter with it. */
export const layer = Layer.effect(Reversals, make)
