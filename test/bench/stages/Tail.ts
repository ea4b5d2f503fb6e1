import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect } from "effect"
import { dayOf, daysBefore } from "../../../core/domain/LocalTime.ts"
import { ended } from "../../support/SaldoProcess.ts"
import { companies_max, largeCompany } from "../support/Dataset.ts"
import { BenchmarkFailed, measure } from "../support/Measure.ts"
import { type Goal, latencyOf, type Measurement } from "../support/Measurements.ts"
import { BenchmarkProgress, type LoadOptions, playRounds, type Side } from "../support/Rounds.ts"
import { command, connectedTo } from "../support/Services.ts"
import { placeholdersOf, readByCompany, requestOf, saleBySaldo } from "../support/Workload.ts"
import { askForDocuments, makeReceipts } from "./Documents.ts"
import type { CountedDatabase } from "./Events.ts"

/** Number of connections. Each makes a pause before each call, so a slow response hardly delays the other calls. */
const callers = 256

/** Rate of the measured sales, as a fraction of the highest rate. */
const share = 0.7

/** Duration of the load that warms the server up, and of the load that finds the highest rate. */
const warmUp_s = 12

/** Other work that a server or an operator does while companies sell. Runs until it is interrupted or fails. */
type Disturbance = Effect.Effect<never, BenchmarkFailed>

/** Runs a statement again and again. A vacuum reads and writes as much at a time as autovacuum does. */
const repeated = (database: string, statement: string): Disturbance =>
  PgClient.PgClient.use((sql) =>
    Effect.andThen(sql`set vacuum_cost_delay = '2ms'`, Effect.forever(sql.unsafe(statement).unprepared))
  ).pipe(
    Effect.provide(connectedTo(database)),
    Effect.catchTags({ DatabaseUnavailable: Effect.die, SqlError: Effect.die })
  )

/** Runs a command again and again. */
const commanded = (database: string, ...args: ReadonlyArray<string>): Disturbance =>
  Effect.forever(
    Effect.gen(function* () {
      const run = yield* command(database, args)
      if ((yield* ended(run)) !== 0) {
        return yield* new BenchmarkFailed({ message: `saldo ${args.join(" ")} failed: ${run.stdout()}${run.stderr()}` })
      }
    }).pipe(Effect.scoped)
  )

/** Downloads the whole statement of the large company again and again. */
const downloading = (url: string): Disturbance => {
  const shape = readByCompany("/v1/movimientos?formato=csv", largeCompany)
  const { headers, path } = requestOf(shape, placeholdersOf(shape, "", 0))
  return Effect.forever(
    Effect.gen(function* () {
      const response = yield* Effect.promise((signal) => fetch(url + path, { headers, signal }))
      if (response.status !== 200) {
        return yield* new BenchmarkFailed({ message: `the statement as CSV got ${response.status}` })
      }
      // Read chunk by chunk, because a large file does not fit into one string.
      yield* Effect.promise(async () => {
        for await (const _chunk of response.body ?? []);
      })
    })
  )
}

const goal: Goal = { is: "at most", value: 2 }

export const tailLength_s = ({ rows, ...options }: LoadOptions & { readonly rows: number }): number =>
  2 * warmUp_s + (rows > 0 ? 6 : 4) * 2 * options.rounds * options.seconds

/**
 * Measures the longest response times of sales at 70 % of the highest rate while other work goes on. Compares
 * them with the same sales without this work.
 *
 * @param rows number of sales in the database. Without a history, there is no day to close and no long statement.
 */
export const measureTail = Effect.fnUntraced(function* (
  server: CountedDatabase,
  { connections, rows, seconds }: LoadOptions & { readonly rows: number }
) {
  const { step } = yield* BenchmarkProgress
  const {
    database,
    saleCount,
    service: { url }
  } = server
  const ids = yield* makeReceipts(server)
  const sale = { urls: [url], shape: saleBySaldo(companies_max) }
  const load = measure({ ...sale, connections, seconds: warmUp_s })
  const warmUp = yield* step("Sales during other work: warm-up", warmUp_s, load)
  const highest = yield* step("Sales during other work: the highest rate", warmUp_s, load)
  saleCount.answered += warmUp.succeeded + highest.succeeded
  const pause_ms = Math.max(1, (1_000 * callers) / (share * highest.perSecond) - highest.p50_ms)
  const yesterday = daysBefore(dayOf(yield* DateTime.now), 1)
  const disturbances: ReadonlyArray<readonly [name: string, work: Disturbance]> = [
    ["a vacuum", repeated(database, "vacuum (analyze)")],
    ["checkpoints", repeated(database, "checkpoint")],
    ["audits", commanded(database, "audit")],
    ["a burst of PDFs", askForDocuments(url, ids)],
    ...(rows === 0
      ? []
      : [
          ["closings", commanded(database, "close", yesterday)] as const,
          ["statements as CSV", downloading(url)] as const
        ])
  ]
  const usual: Side = { ...sale, name: "usual", pid: null, saleCount }
  const measurements = yield* Effect.forEach(
    disturbances,
    Effect.fnUntraced(function* ([name, work]) {
      const rounds = yield* playRounds({
        what: `Sales during ${name}`,
        ours: { ...usual, name: "during", beside: work },
        theirs: usual,
        connections: callers,
        pause_ms,
        isWarm: true,
        seconds
      })
      return [
        latencyOf(`p99 of a sale during ${name}`, "p99_ms", goal, rounds),
        latencyOf(`p99.9 of a sale during ${name}`, "p999_ms", null, rounds),
        latencyOf(`Longest response to a sale during ${name}`, "longest_ms", null, rounds)
      ]
    })
  )
  return measurements.flat() satisfies ReadonlyArray<Measurement>
})
