import { DateTime, Effect, Layer, Option, Stream } from "effect"
import type { Entry, EntryType } from "../../core/domain/Account.ts"
import {
  type Closing,
  type CountedAmount,
  contentOf,
  type DayFigures,
  entriesDigestOf,
  type ServiceFigures
} from "../../core/domain/Closing.ts"
import { TransactionId } from "../../core/domain/Ids.ts"
import { type DayRange, dayOf, nextDay, startOfDay } from "../../core/domain/LocalTime.ts"
import type { Page } from "../../core/domain/Page.ts"
import { Sha256 } from "../../core/domain/Sha256.ts"
import { Closings, type CompanyDay } from "../../core/ports/Closings.ts"
import * as Sha256Node from "../crypto/Sha256Node.ts"
import { Books, type CompanyBooks, type Sale, saleOf } from "./Books.ts"

/** The first day of the books that is not closed. Null if the books have no entries. */
const unclosedIn = ({ closings, entries }: CompanyBooks): string | null => {
  const last = closings.at(-1)
  if (last !== undefined) return nextDay(last.content.day)
  return entries.map(({ createdAt }) => dayOf(createdAt)).sort()[0] ?? null
}

const sumOf = (amounts: ReadonlyArray<number>): CountedAmount => ({
  count: amounts.length,
  amount: amounts.reduce((sum, amount) => sum + amount, 0)
})

const amountOf = ({ order }: Sale): number => order.amount

/**
 * The first day with a closing that contains the sale: the day of the reservation, or the day of the settlement if the
 * settlement has an earlier time.
 */
const foundOn = ({ order, processedAt }: Sale): string =>
  dayOf(DateTime.min(order.createdAt, processedAt ?? order.createdAt))

const figuresIn = (books: CompanyBooks, day: string, sha256Hex: (text: string) => string): DayFigures => {
  const previous = books.closings.find((each) => nextDay(each.content.day) === day)
  const isFirst = previous === undefined
  const until = startOfDay(nextDay(day))
  const isOfDay = (one: string): boolean => one === day || (isFirst && one < day)
  const entries = books.entries.filter(({ createdAt }) => isOfDay(dayOf(createdAt)))
  const ofType = (type: EntryType) => entries.filter((entry) => entry.type === type)
  const carried = (previous?.content.pending ?? []).map((id) => saleOf(books, id))
  const sales = [...books.sales.values()].filter((sale) => isOfDay(foundOn(sale))).concat(carried)
  const isPending = ({ processedAt }: Sale) =>
    processedAt === null || DateTime.isGreaterThanOrEqualTo(processedAt, until)
  const statusOf = (sale: Sale) => (isPending(sale) ? "PENDING" : sale.status === "FAILED" ? "FAILED" : "SUCCESS")
  const reversed = ofType("reversal").map(({ transactionId }) => saleOf(books, transactionId ?? TransactionId.make(1)))
  const isUpToDay = ({ createdAt }: Entry) => dayOf(createdAt) <= day
  const last = books.entries.findLast(isUpToDay)
  if (last === undefined) throw new Error("a company without entries has no day to close")
  const ahead = books.entries.filter((entry) => entry.id < last.id && !isUpToDay(entry))
  return {
    deposits: sumOf(ofType("deposit").map(({ amount }) => amount)),
    sales: sumOf(ofType("sale").map(({ amount }) => -amount)),
    reversals: sumOf(ofType("reversal").map(({ amount }) => amount)),
    adjustments: sumOf(ofType("adjustment").map(({ amount }) => amount)),
    services: [...byService(sales, statusOf), ...byService(reversed, () => "REVERSED")],
    earlierReversals: reversed.flatMap(({ order, processedAt }) =>
      processedAt !== null && dayOf(processedAt) < day
        ? [{ transactionId: order.transactionId, day: dayOf(processedAt), amount: order.amount }]
        : []
    ),
    carried: sumOf(carried.map(amountOf)),
    pending: sales
      .filter(isPending)
      .map(({ order }) => order.transactionId)
      .sort((one, other) => one - other),
    ledger: last.balance - sumOf(ahead.map(({ amount }) => amount)).amount,
    lastEntryId: last.id,
    entriesDigest: entriesDigestOf(entries, sha256Hex)
  }
}

const byService = (
  sales: ReadonlyArray<Sale>,
  statusOf: (sale: Sale) => ServiceFigures["status"]
): ReadonlyArray<ServiceFigures> =>
  Array.from(
    Map.groupBy(sales, (sale) => `${sale.order.service.id} ${statusOf(sale)}`).values(),
    (group): ServiceFigures => {
      const [first] = group as [Sale, ...ReadonlyArray<Sale>]
      const { id: serviceId, name } = first.order.service
      return { serviceId, name, status: statusOf(first), ...sumOf(group.map(amountOf)) }
    }
  )

const isIn =
  ({ from, to }: DayRange) =>
  ({ content: { day } }: Closing): boolean =>
    (from === undefined || from <= day) && (to === undefined || day <= to)

const pageOf = (closings: ReadonlyArray<Closing>, { page, perPage }: Page) => ({
  items: closings.slice((page - 1) * perPage, page * perPage),
  total: closings.length
})

// Each method works in one synchronous step, so that no other fiber sees a partial change.
const make = Effect.gen(function* () {
  const { all, of } = yield* Books
  const { hex } = yield* Sha256

  const newest = (books: CompanyBooks, days: DayRange) => books.closings.filter(isIn(days)).toReversed()

  return Closings.of({
    hasPassed: (instant) => Effect.map(DateTime.now, DateTime.isGreaterThanOrEqualTo(instant)),
    unclosed: Effect.sync(() => ({
      days: [...all()]
        .flatMap((books) => {
          const day = unclosedIn(books)
          return day === null ? [] : [{ companyId: books.companyId, day }]
        })
        .sort((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : one.companyId - other.companyId)),
      isComplete: true
    })),
    end: ({ companyId, day }) =>
      Effect.sync(() => {
        const books = of(companyId)
        if (unclosedIn(books) !== day) return false
        books.openFrom = DateTime.max(books.openFrom, startOfDay(nextDay(day)))
        return true
      }),
    figures: ({ companyId, day }) => Effect.sync(() => figuresIn(of(companyId), day, hex)),
    add: (companyDay: CompanyDay, text) =>
      Effect.sync(() => {
        const { closings } = of(companyDay.companyId)
        if (closings.some(({ content }) => content.day >= companyDay.day)) return false
        closings.push({ text, content: contentOf(text), seal: hex(text) })
        return true
      }),
    before: ({ companyId, day }) =>
      Effect.sync(() => Option.fromUndefinedOr(of(companyId).closings.findLast(({ content }) => content.day < day))),
    find: ({ companyId, day }) =>
      Effect.sync(() => Option.fromUndefinedOr(of(companyId).closings.find(({ content }) => content.day === day))),
    list: (companyId, days, page) => Effect.sync(() => pageOf(newest(of(companyId), days), page)),
    all: (companyId, days) => Stream.suspend(() => Stream.fromIterable(newest(of(companyId), days))),
    chains: Stream.suspend(() => Stream.fromIterable([...all()].flatMap(({ closings }) => closings))),
    ofCompanies: (companyId, days, page) =>
      Effect.sync(() => {
        const found = (companyId === undefined ? [...all()] : [of(companyId)]).flatMap((books) => newest(books, days))
        return pageOf(
          found.sort((one, other) =>
            one.content.day < other.content.day ? 1 : one.content.day > other.content.day ? -1 : 0
          ),
          page
        )
      })
  })
})

/** `Closings` in memory. Tests compare the Postgres adapter with it. */
export const layer = Layer.provide(Layer.effect(Closings, make), Sha256Node.layer)
