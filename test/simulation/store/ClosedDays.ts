import { DateTime } from "effect"
import type { CompanyBooks, Sale } from "../../../adapters/memory/Books.ts"
import type { EntryType } from "../../../core/domain/Account.ts"
import { type ClosingContent, type CountedAmount, sumOf } from "../../../core/domain/Closing.ts"
import { nextDay, startOfDay } from "../../../core/domain/LocalTime.ts"

/** The totals of a closing that can be computed from the books. */
type Figures = Pick<ClosingContent, "deposits" | "sales" | "reversals" | "adjustments" | "closing" | "held">

const counted = (amounts: ReadonlyArray<number>): CountedAmount => ({
  count: amounts.length,
  amount: amounts.reduce((sum, amount) => sum + amount, 0)
})

const day_ms = 24 * 60 * 60 * 1_000

const ends = new Map<string, number>()

/** The end of a local day. Cached, because the audit after every write needs the same few days. */
export const endOf = (day: string): number => {
  const known = ends.get(day) ?? DateTime.toEpochMillis(startOfDay(nextDay(day)))
  ends.set(day, known)
  return known
}

/**
 * Computes the totals of a day from the books alone. The totals cover the entries of the day, the balance
 * after all entries up to its end, and the sales that were unresolved at its end.
 */
const figuresOf = ({ closings, entries, sales }: CompanyBooks, day: string): Figures => {
  const isFirst = closings[0]?.content.day === day
  const until_ms = endOf(day)
  const since_ms = isFirst ? 0 : until_ms - day_ms
  const before = entries.filter(({ createdAt }) => DateTime.toEpochMillis(createdAt) < until_ms)
  const those = (type: EntryType) =>
    before.filter((entry) => entry.type === type && DateTime.toEpochMillis(entry.createdAt) >= since_ms)
  const isHeld = ({ order, processedAt }: Sale) =>
    DateTime.toEpochMillis(order.createdAt) < until_ms &&
    (processedAt === null || DateTime.toEpochMillis(processedAt) >= until_ms)
  return {
    deposits: counted(those("deposit").map(({ amount }) => amount)),
    sales: counted(those("sale").map(({ amount }) => -amount)),
    reversals: counted(those("reversal").map(({ amount }) => amount)),
    adjustments: counted(those("adjustment").map(({ amount }) => amount)),
    closing: counted(before.map(({ amount }) => amount)).amount,
    held: counted([...sales.values()].filter(isHeld).map(({ order }) => order.amount))
  }
}

/** The difference between a closing and the books, as text. Null if they agree. */
export const closedDayProblem = (books: CompanyBooks, content: ClosingContent): string | null => {
  const expected = figuresOf(books, content.day)
  const { adjustments, closing, day, deposits, held, reversals, sales, services } = content
  const found: Figures = { deposits, sales, reversals, adjustments, closing, held }
  if (JSON.stringify(found) !== JSON.stringify(expected))
    return `the closing of ${day} has ${JSON.stringify(found)}, the books have ${JSON.stringify(expected)}`
  const charged = sumOf(services, "SUCCESS")
  return charged.count === sales.count && charged.amount === sales.amount
    ? null
    : `the closing of ${day} has ${charged.amount} by service, but ${sales.amount} in entries`
}
