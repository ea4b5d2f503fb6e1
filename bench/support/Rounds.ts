import { Effect } from "effect"
import { postmaster } from "../../tools/database/Postmaster.ts"
import { familySpent_us, spent_us } from "./Cpu.ts"
import type { Round } from "./Figures.ts"
import type { Load } from "./Load.ts"
import { measure } from "./Measure.ts"
import { type Options, Progress } from "./Progress.ts"

/** How many sales were answered as done, to be held against what the database says. */
export interface Book {
  answered: number
}

/** A side of a comparison: a name for the progress, and whom the load goes to. */
export interface Side extends Pick<Load, "urls" | "shape"> {
  readonly name: string
  /** The process whose processor time is counted; null for none. */
  readonly pid: number | null
  /** Where its sales are counted. */
  readonly book?: Book
}

/** Two sides that are to do the same. */
export interface Match {
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
export const length_s = ({ rounds, seconds }: Pick<Options, "rounds" | "seconds">): number =>
  2 * (warmUp_s + rounds * seconds)

const load = Effect.fnUntraced(function* (
  { book, pid, shape, urls }: Side,
  asked: Pick<Load, "connections" | "seconds">
) {
  const postgres = yield* postmaster
  const before = { server: pid === null ? null : spent_us(pid), database: familySpent_us(postgres) }
  const measured = yield* measure({ ...asked, urls, shape })
  const after = { server: pid === null ? null : spent_us(pid), database: familySpent_us(postgres) }
  if (book !== undefined) book.answered += measured.succeeded
  const eachOf = (of: "server" | "database") =>
    before[of] === null || after[of] === null ? null : (after[of] - before[of]) / measured.succeeded
  return { ...measured, cpu_us: eachOf("server"), database_us: eachOf("database") }
})

/** Loads both sides in turn, so many rounds, and begins each round with the one that ended the last. */
export const play = Effect.fnUntraced(function* ({ connections, ours, seconds, theirs, what }: Match) {
  const { options, step } = yield* Progress
  const loaded = (side: Side, length_s: number, when: string) =>
    step(`${what}: ${side.name}, ${when}`, length_s, load(side, { connections, seconds: length_s }))
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
