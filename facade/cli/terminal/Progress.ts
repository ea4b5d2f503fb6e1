import { Effect, Option, Stdio, Stream } from "effect"
import { ReportProgress } from "../../../core/ports/Progress.ts"

/** Shortest interval between two changes of the progress line. */
const interval_ms = 200

/** Time from the start until the remaining time is first shown. Earlier, the pace is not known. */
const unknownPace_ms = 1_000

const clearLine = "\r\u001b[K"

const formatLeft = (left_ms: number): string => {
  const seconds = Math.ceil(left_ms / 1_000)
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}

/** The line that shows the progress: `42 %  reading the statement, about 12 s left`. */
export const formatProgress = (what: string, done: number, total: number | null, passed_ms: number): string => {
  if (total === null) return `${what}: ${done.toLocaleString("en")}`
  if (done >= total) return `100 %  ${what}, finishing`
  const percent = `${String(Math.floor((100 * done) / total)).padStart(3)} %  ${what}`
  return done === 0 || passed_ms < unknownPace_ms
    ? percent
    : `${percent}, about ${formatLeft((passed_ms / done) * (total - done))} left`
}

/** Whether the operation prints to stdout while it runs. */
interface ProgressOptions {
  readonly isPrinting?: boolean
}

/** A function that replaces the current line of the terminal. None if stderr is not a terminal. */
const terminalLine = Effect.fnUntraced(function* ({ isPrinting = false }: ProgressOptions) {
  const stdio = yield* Effect.serviceOption(Stdio.Stdio)
  if (Option.isNone(stdio) || !(yield* stdio.value.stderrIsTerminal)) return Option.none()
  // On the same terminal, the progress line would appear in the middle of the output.
  if (isPrinting && (yield* stdio.value.stdoutIsTerminal)) return Option.none()
  const write = (line: string) =>
    Effect.ignore(Stream.run(Stream.succeed(clearLine + line), stdio.value.stderr({ endOnDone: false })))
  return Option.some(write)
})

/**
 * Shows the progress that a long operation reports, with the remaining time, on the last line of the
 * terminal. Shows nothing if stderr is not a terminal. The progress is written to stderr, so the results on
 * stdout do not contain it.
 */
export const withProgress =
  (what: string, options: ProgressOptions = {}) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(terminalLine(options), (line) => {
      if (Option.isNone(line)) return work
      let began_ms: number | null = null
      let shown_ms = Number.NEGATIVE_INFINITY
      const report = (done: number, total: number | null) =>
        Effect.clockWith((clock) => {
          const now_ms = Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
          began_ms ??= now_ms
          if (now_ms - shown_ms < interval_ms && (total === null || done < total)) return Effect.void
          shown_ms = now_ms
          return line.value(formatProgress(what, done, total, now_ms - began_ms))
        })
      return Effect.ensuring(Effect.provideService(work, ReportProgress, report), line.value(""))
    })

/** The part of a sentence that states the number of moved rows. Empty if the number is null, which means unknown. */
export const rowsText = (rows: number | null): string =>
  rows === null ? "" : ` with ${rows.toLocaleString("en")} rows`

/** States that a move may have left rows on a lost node, and how to remove them. Empty if `node` is null. */
export const lostText = (node: string | null): string =>
  node === null
    ? ""
    : ` Frozen rows may be left on node ${node}. If its server answers again, remove them with "saldo cell clear --node ${node}".`
