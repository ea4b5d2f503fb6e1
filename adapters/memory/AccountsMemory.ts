import { DateTime, Effect, Layer, Stream } from "effect"
import { type Balance, type Entry, owned, restore } from "../../core/domain/Account.ts"
import type { CompanyId } from "../../core/domain/Ids.ts"
import { isWithin } from "../../core/domain/LocalTime.ts"
import { frozenAt, isUpTo, type ListFilter } from "../../core/domain/Page.ts"
import { foldedText } from "../../core/domain/Text.ts"
import { Accounts, type Adjustment, Adjustments } from "../../core/ports/Accounts.ts"
import { Statement } from "../../core/ports/Statement.ts"
import { Books, type CompanyBooks, consumptionIn, post, timeIn } from "./Books.ts"
import { movementFact, recordEvents } from "./EventsMemory.ts"

export const accountsLayer = Layer.effect(
  Accounts,
  Effect.map(Books, ({ of }) =>
    Accounts.of({
      read: (companyId, periods) =>
        Effect.sync(() => {
          const books = of(companyId)
          return { ...books.purse, consumption: consumptionIn(books, periods) }
        }),
      configure: (companyId, settings, at) =>
        Effect.sync(() => {
          const books = of(companyId)
          const { limits, lowBalanceAlert } = books.purse
          books.purse = {
            ...books.purse,
            limits: {
              daily: settings.daily ?? limits.daily,
              weekly: settings.weekly ?? limits.weekly,
              monthly: settings.monthly ?? limits.monthly
            },
            lowBalanceAlert: settings.lowBalanceAlert ?? lowBalanceAlert,
            updatedAt: at
          }
          recordEvents(books, [], at)
        })
    })
  )
)

/**
 * The company's adjustment with this reference. The spelling of the reference may differ if two operators agreed on the
 * adjustment.
 */
export const recordedAdjustment = ({ entries, funding }: CompanyBooks, reference: string): Entry | undefined => {
  const agreed = [...funding.values()].find(
    ({ kind, reference: known, state }) =>
      kind === "adjustment" && state === "confirmed" && foldedText(known) === foldedText(reference)
  )
  return entries.find(
    (entry) => entry.type === "adjustment" && (entry.reference === reference || entry.id === agreed?.entryId)
  )
}

/** Sets the balance, with a ledger entry of type adjustment and an event. */
export const postAdjustment = (
  books: CompanyBooks,
  balance: Balance,
  entry: Pick<Entry, "id" | "amount" | "reference">,
  at: DateTime.Utc
): void => {
  const recordedAt = timeIn(books, at)
  post(books, balance, { ...entry, type: "adjustment" }, recordedAt)
  recordEvents(books, movementFact(books, "balance.adjusted"), recordedAt)
}

const adjustIn = (books: CompanyBooks, { at, goal, reference, since }: Adjustment, nextEntryId: () => number) => {
  if (books.adjustments.has(reference)) return null
  books.adjustments.add(reference)
  if (recordedAdjustment(books, reference) !== undefined) return null
  const [first] = books.entries
  if (first === undefined || DateTime.isGreaterThanOrEqualTo(first.createdAt, since)) return 0
  const before = books.purse.balance
  const balance = restore(before, goal)
  const moved = owned(balance) - owned(before)
  if (moved === 0) return 0
  postAdjustment(books, balance, { id: nextEntryId(), amount: moved, reference }, at)
  return moved
}

export const adjustmentsLayer = Layer.effect(
  Adjustments,
  Effect.map(Books, ({ nextEntryId, of }) =>
    Adjustments.of({
      adjust: (adjustment) => Effect.sync(() => adjustIn(of(adjustment.companyId), adjustment, nextEntryId))
    })
  )
)

export const statementLayer = Layer.effect(
  Statement,
  Effect.map(Books, ({ of }) => {
    const found = (companyId: CompanyId, filter: ListFilter) =>
      Effect.sync(() =>
        of(companyId)
          .entries.filter((entry) => isWithin(filter, entry.createdAt) && isUpTo(filter, entry.id))
          .reverse()
      )
    return Statement.of({
      page: (companyId, filter, { page, perPage }) =>
        Effect.map(found(companyId, filter), (entries) => ({
          items: entries.slice((page - 1) * perPage, page * perPage),
          total: entries.length,
          upTo: frozenAt(filter, of(companyId).entries.at(-1)?.id ?? 0)
        })),
      all: (companyId, filter) => Stream.unwrap(Effect.map(found(companyId, filter), Stream.fromIterable))
    })
  })
)
