import { existsSync, readdirSync, readFileSync } from "node:fs"
import { Context, Effect } from "effect"
import { postmasterPid } from "../../support/EmbeddedDatabases.ts"
import { type ProgressStep, plannedSteps } from "../../support/Progress.ts"
import { measure } from "./Measure.ts"
import type { Round } from "./Measurements.ts"
import type { Load } from "./Workload.ts"

/** The kernel counts in hundredths of a second. */
const tick_us = 10_000

/** What the kernel says of a process, from its state on; null on systems that do not tell, and once it has ended. */
const statOf = (pid: number | string): ReadonlyArray<string> | null => {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return null
  try {
    // The name of the program, in brackets, may hold anything; what follows it is numbers.
    return (/^.*\) (.*)$/s.exec(readFileSync(file, "utf8"))?.[1] ?? "").split(" ")
  } catch {
    return null
  }
}

const sum_us = (stat: ReadonlyArray<string>, ...fields: ReadonlyArray<number>): number =>
  fields.reduce((sum, field) => sum + Number(stat[field]) * tick_us, 0)

/** The processor time that a process has taken so far; null on systems that do not tell. */
const spent_us = (pid: number): number | null => {
  const stat = statOf(pid)
  return stat === null ? null : sum_us(stat, 11, 12)
}

/** The same of a process and all its children, those that have ended too. */
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

/** How the benchmark was asked to run. */
export interface LoadOptions {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

/** Tells a person who waits what is going on and how long it will take. */
export class BenchmarkProgress extends Context.Service<
  BenchmarkProgress,
  { readonly options: LoadOptions; readonly step: ProgressStep }
>()("saldo/bench/Progress") {}

/** @param planned_s of all steps together. */
export const makeProgress = (options: LoadOptions, planned_s: number) =>
  Effect.map(plannedSteps(planned_s), (step) => BenchmarkProgress.of({ options, step }))

/** How many sales were answered as done, to be held against what the database says. */
export interface SaleCount {
  answered: number
}

/** A side of a comparison: a name for the progress, and whom the load goes to. */
export interface Side extends Pick<Load, "urls" | "shape"> {
  readonly name: string
  /** The process whose processor time is counted; null for none. */
  readonly pid: number | null
  /** Where its sales are counted. */
  readonly book?: SaleCount
}

/** Two sides that are to do the same. */
export interface Contest {
  readonly what: string
  readonly ours: Side
  readonly theirs: Side
  readonly connections: number
  /** How long a load of a round is. */
  readonly seconds: number
}

/** Before anything counts, so that code is compiled and optimized, caches are filled and statements are prepared. */
const warmUp_s = 12

/** How long a match takes. */
export const roundsLength_s = ({ rounds, seconds }: Pick<LoadOptions, "rounds" | "seconds">): number =>
  2 * (warmUp_s + rounds * seconds)

const measureSide = Effect.fnUntraced(function* (
  { book, pid, shape, urls }: Side,
  asked: Pick<Load, "connections" | "seconds">
) {
  const postgres = yield* postmasterPid
  const before = { server: pid === null ? null : spent_us(pid), database: familySpent_us(postgres) }
  const measured = yield* measure({ ...asked, urls, shape })
  const after = { server: pid === null ? null : spent_us(pid), database: familySpent_us(postgres) }
  if (book !== undefined) book.answered += measured.succeeded
  const eachOf = (of: "server" | "database") =>
    before[of] === null || after[of] === null ? null : (after[of] - before[of]) / measured.succeeded
  return { ...measured, cpu_us: eachOf("server"), database_us: eachOf("database") }
})

/** Loads both sides in turn, so many rounds, and begins each round with the one that ended the last. */
export const playRounds = Effect.fnUntraced(function* ({ connections, ours, seconds, theirs, what }: Contest) {
  const { options, step } = yield* BenchmarkProgress
  const loaded = (side: Side, length_s: number, when: string) =>
    step(`${what}: ${side.name}, ${when}`, length_s, measureSide(side, { connections, seconds: length_s }))
  yield* loaded(ours, warmUp_s, "warm-up")
  yield* loaded(theirs, warmUp_s, "warm-up")
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
