import { existsSync, readdirSync, readFileSync } from "node:fs"
import { Context, Effect, Redacted } from "effect"
import { EmbeddedPostgres } from "../../../adapters/embedded/EmbeddedPostgres.ts"
import { postmasterPid, runStatement } from "../../support/EmbeddedDatabases.ts"
import { type ProgressStep, plannedSteps } from "../../support/Progress.ts"
import { type BenchmarkFailed, measure } from "./Measure.ts"
import type { Round } from "./Measurements.ts"
import type { Load } from "./Workload.ts"

/** Unit of the processor time that the kernel reports. */
const tick_us = 10_000

/**
 * Fields of /proc/PID/stat, starting with the process state; null on other systems, and after the process has ended.
 */
const statOf = (pid: number | string): ReadonlyArray<string> | null => {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return null
  try {
    // The program name in brackets may contain any character; numbers follow it.
    return (/^.*\) (.*)$/s.exec(readFileSync(file, "utf8"))?.[1] ?? "").split(" ")
  } catch {
    return null
  }
}

const sum_us = (stat: ReadonlyArray<string>, ...fields: ReadonlyArray<number>): number =>
  fields.reduce((sum, servers) => sum + Number(stat[servers]) * tick_us, 0)

/** Processor time of a process so far; null on systems without /proc. */
const spent_us = (pid: number): number | null => {
  const stat = statOf(pid)
  return stat === null ? null : sum_us(stat, 11, 12)
}

/** Processor time of a process and of all its children so far, including children that have ended. */
const familySpent_us = (pid: number): number | null => {
  const own = statOf(pid)
  if (own === null) return null
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  return children.reduce(
    (sum, child) => {
      const stat = statOf(child)
      return stat?.[1] === String(pid) ? sum + sum_us(stat, 11, 12) : sum
    },
    sum_us(own, 11, 12, 13, 14)
  )
}

/** The write-ahead log of the Postgres server: its length so far, and how often it was flushed to the disk. */
const logSoFar = Effect.gen(function* () {
  const { url } = yield* EmbeddedPostgres
  const rows = yield* runStatement(
    Redacted.value(url),
    `select (pg_current_wal_insert_lsn() - '0/0')::float8 as length, sum(fsyncs)::float8 as flushes
      from pg_stat_io where object = 'wal'`
  )
  const [{ flushes, length }] = rows as readonly [{ readonly length: number; readonly flushes: number }]
  return { log_bytes: length, log_flushes: flushes }
}).pipe(Effect.orDie)

/** Settings of the load. */
export interface LoadOptions {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

/** Prints the progress of the benchmark. */
export class BenchmarkProgress extends Context.Service<
  BenchmarkProgress,
  { readonly options: LoadOptions; readonly step: ProgressStep }
>()("saldo/bench/Progress") {}

/**
 * Creates the progress of a benchmark.
 *
 * @param planned_s sum of the expected durations of all steps.
 */
export const makeProgress = (options: LoadOptions, planned_s: number) =>
  Effect.map(plannedSteps(planned_s), (step) => BenchmarkProgress.of({ options, step }))

/** Number of success responses to sales, to compare with the stored sales. */
export interface SaleCount {
  answered: number
}

/** One side of a comparison: its name and the servers that receive the load. */
export interface Side extends Pick<Load, "urls" | "shape"> {
  readonly name: string
  /** Process whose processor time is measured; null if it is not measured. */
  readonly pid: number | null
  /** Counts the sales of this service, one of the two that are compared. */
  readonly saleCount?: SaleCount
  /** Other work that runs during the load until it is interrupted. If the work fails, the benchmark fails. */
  readonly beside?: Effect.Effect<never, BenchmarkFailed>
  /** Runs after each load, before the load of the other side. */
  readonly after?: Effect.Effect<void, BenchmarkFailed>
}

/** Two sides that handle the same load. */
export interface RoundsPlan {
  readonly what: string
  readonly ours: Side
  readonly theirs: Side
  readonly connections: number
  /** Mean pause of a connection before each call. Without it, there is no pause. */
  readonly pause_ms?: number
  /** Duration of one load. */
  readonly seconds: number
  /** Whether an earlier comparison had the same loads. Such a comparison needs no warm-up. */
  readonly isWarm?: boolean
}

/** Unmeasured load at the start. It compiles and optimises code, fills caches and prepares statements. */
const warmUp_s = 12

/** Duration of all rounds of a comparison. */
export const roundsLength_s = ({ rounds, seconds }: Pick<LoadOptions, "rounds" | "seconds">): number =>
  2 * (warmUp_s + rounds * seconds)

const measureSide = Effect.fnUntraced(function* (
  { beside = Effect.never, saleCount, pid, shape, urls }: Side,
  asked: Pick<Load, "connections" | "seconds" | "pause_ms">
) {
  const postgres = yield* postmasterPid
  const spent = Effect.gen(function* () {
    const log = yield* logSoFar
    return { server: pid === null ? null : spent_us(pid), database: familySpent_us(postgres), ...log }
  })
  const before = yield* spent
  const measured = yield* Effect.raceFirst(measure({ ...asked, urls, shape }), beside)
  const after = yield* spent
  if (saleCount !== undefined) saleCount.answered += measured.succeeded
  const eachOf = (of: keyof typeof before) =>
    before[of] === null || after[of] === null ? null : (after[of] - before[of]) / measured.succeeded
  return {
    ...measured,
    cpu_us: eachOf("server"),
    database_us: eachOf("database"),
    log_bytes: eachOf("log_bytes"),
    log_flushes: eachOf("log_flushes")
  }
})

/**
 * Puts load on both sides alternately, for all rounds. Each round starts with the side that was last in the previous round.
 */
export const playRounds = Effect.fnUntraced(function* ({
  isWarm = false,
  ours,
  seconds,
  theirs,
  what,
  ...load
}: RoundsPlan) {
  const { options, step } = yield* BenchmarkProgress
  const loaded = (side: Side, length_s: number, when: string) =>
    step(`${what}: ${side.name}, ${when}`, length_s, measureSide(side, { ...load, seconds: length_s })).pipe(
      Effect.tap(side.after ?? Effect.void)
    )
  if (!isWarm) {
    yield* loaded(ours, warmUp_s, "warm-up")
    yield* loaded(theirs, warmUp_s, "warm-up")
  }
  const rounds: Array<Round> = []
  for (let number = 1; number <= options.rounds; number++) {
    const when = `round ${number} of ${options.rounds}`
    if (number % 2 === 1) {
      const measured = yield* loaded(ours, seconds, when)
      rounds.push({ ours: measured, theirs: yield* loaded(theirs, seconds, when) })
    } else {
      const measured = yield* loaded(theirs, seconds, when)
      rounds.push({ ours: yield* loaded(ours, seconds, when), theirs: measured })
    }
  }
  return rounds
})
