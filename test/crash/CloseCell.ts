import { PgClient } from "@effect/sql-pg"
import { Effect, Option, Schedule } from "effect"
import type { CellName } from "../../core/domain/Cell.ts"
import { closeCell, openCell } from "../../core/workflows/ManageCells.ts"
import { onNodeOf } from "./environment/CellReads.ts"
import { beforeLoadEnds, companiesSell, type FaultContext, sales_max, waitDuringLoad } from "./FaultContext.ts"
import { untilDone } from "./OperatorWork.ts"

/**
 * Tables in which no row may appear while their cell is closed. The tables of events, deliveries and entries are left out,
 * because sales that are in progress still write them.
 */
const tables = [
  "transaction",
  "reversal",
  "funding_proposal",
  "deposit_reference",
  "insurance",
  "sms",
  "option",
  "webhook",
  "closing"
]

/** The number of rows in each of the tables. */
type RowCounts = Readonly<Record<string, number>>

/** A period in which a cell was closed. */
export interface CellClosing {
  readonly cell: string
  /** The numbers of rows, read right after the command that closed the cell and right before the command that opened it. */
  readonly before: RowCounts
  readonly after: RowCounts
}

const countRows = Effect.fnUntraced(function* (cell: CellName) {
  const parts = tables.map((table) => `select '${table}' as table, count(*)::int as count from ${cell}."${table}"`)
  const rows = yield* onNodeOf(
    cell,
    PgClient.PgClient.use((sql) => sql.unsafe<{ table: string; count: number }>(parts.join(" union all ")).unprepared)
  )
  return Object.fromEntries(rows.map(({ count, table }): [string, number] => [table, count]))
})

/** Waits until a company of the cell gets a refusal that says when to retry. */
const untilRefused = ({ load }: FaultContext, cell: CellName) =>
  Effect.suspend(() => {
    const count = () =>
      load.operations
        .filter(({ customer }) => customer.cell === cell)
        .flatMap(({ responses }) => responses)
        .filter(({ retryAfter_s, status }) => status === 503 && retryAfter_s !== null).length
    const before = count()
    return Effect.repeat(Effect.sync(count), {
      until: (refusals) => refusals > before,
      schedule: Schedule.spaced("10 millis")
    })
  })

/**
 * Closes a cell while clients buy. Opens the cell when calls of its companies have been refused and all other companies
 * have sold.
 *
 * @returns whether the cell was closed while clients bought.
 */
export const closeAndOpenCell = Effect.fnUntraced(function* (context: FaultContext, cell: CellName) {
  const { cellClosings, environment, load, log } = context
  const operate = <A, E, R>(work: Effect.Effect<A, E, R>) => untilDone(environment.time.on(work))
  yield* waitDuringLoad(context)
  yield* operate(closeCell(cell))
  log.add(`the cell ${cell} is closed`)
  const before = yield* operate(countRows(cell))
  const others = environment.customers.filter((customer) => customer.cell !== cell)
  const waits = Effect.all([companiesSell(context, others), untilRefused(context, cell)], { concurrency: "unbounded" })
  const seen = yield* beforeLoadEnds(context, waits, sales_max)
  if (Option.isNone(seen) && !load.isStopped())
    return yield* Effect.die(new Error(`while the cell ${cell} was closed, not exactly its companies were refused`))
  cellClosings.push({ cell, before, after: yield* operate(countRows(cell)) })
  yield* operate(openCell(cell))
  log.add(`the cell ${cell} is open again`)
  return Option.isSome(seen)
})
