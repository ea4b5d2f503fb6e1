import { DateTime, Effect } from "effect"
import type { DayFigures } from "../../../core/domain/Closing.ts"
import { nextDay, startOfDay } from "../../../core/domain/LocalTime.ts"
import type { Closings } from "../../../core/ports/Closings.ts"
import type { VariantContext } from "../run/Simulate.ts"
import { companyIn, type Mutant, portsMutant, runAfter } from "./Mutant.ts"
import { sqlMutant } from "./SqlMutants.ts"

const closingsMutant = (
  name: string,
  change: (closings: Closings["Service"], bench: VariantContext) => Partial<Closings["Service"]>
): Mutant => portsMutant(name, ({ closings }, bench) => ({ closings: { ...closings, ...change(closings, bench) } }))

const figuresMutant = (name: string, change: (figures: DayFigures) => DayFigures): Mutant =>
  closingsMutant(name, ({ figures }) => ({
    figures: (day) => Effect.map(figures(day), (read) => (read === null ? null : change(read)))
  }))

/** How long after midnight a mutant still counts sales in the past day. */
const counted_ms = 600_000

/** Mutants of closings. */
export const closingMutants: ReadonlyArray<Mutant> = [
  closingsMutant("a closed day accepts entries with a time of that day", ({ add }, bench) => ({
    add: (which, text) =>
      runAfter(add(which, text), () => {
        companyIn(bench, which.companyId).openFrom = DateTime.makeUnsafe(0)
      })
  })),
  closingsMutant("a sale after midnight is counted in both days", ({ figures }, bench) => ({
    figures: (which) =>
      Effect.map(figures(which), (read) => {
        if (read === null) return null
        const midnight_ms = DateTime.toEpochMillis(startOfDay(nextDay(which.day)))
        const again = companyIn(bench, which.companyId).entries.filter(({ createdAt, type }) => {
          const after_ms = DateTime.toEpochMillis(createdAt) - midnight_ms
          return type === "sale" && after_ms >= 0 && after_ms < counted_ms
        })
        const sum = again.reduce((total, { amount }) => total + amount, 0)
        const { amount, count } = read.sales
        const sales = { count: count + again.length, amount: amount - sum }
        return { ...read, sales, ledger: read.ledger + sum }
      })
  })),
  figuresMutant("a pending sale is not carried over midnight", (read) => ({
    ...read,
    pending: [],
    services: read.services.filter(({ status }) => status !== "PENDING")
  })),
  closingsMutant("a closing has no seal of the day before", ({ add }) => ({
    add: (which, text) => add(which, JSON.stringify({ ...JSON.parse(text), previousSeal: null }))
  })),
  sqlMutant(
    "a late outcome is booked in a closed day",
    "settle",
    "  if any_early then\n",
    "  if any_early and false then\n"
  ),
  sqlMutant(
    "a late sale is reserved in a closed day",
    "reserve",
    "  if open_from_most > at then\n",
    "  if open_from_most > at and false then\n"
  ),
  sqlMutant(
    "an entry of midnight is counted in both days",
    "closing",
    "and e.created_at < until\n",
    "and e.created_at <= until\n"
  ),
  sqlMutant(
    "a pending sale is not carried over midnight",
    "closing",
    "from unnest(carried) as c(id)",
    "from unnest('{}'::bigint[]) as c(id)"
  ),
  sqlMutant(
    "a reversal is booked on the day of its sale",
    "reversal",
    "'reversal', sold.amount, after, sold.id, at);",
    "'reversal', sold.amount, after, sold.id, sold.processed_at);"
  )
]
