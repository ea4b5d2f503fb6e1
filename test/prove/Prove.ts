import { fileURLToPath } from "node:url"
import { Console, Duration, Effect, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import manifest from "../../package.json" with { type: "json" }
import { formatDuration, monotonic_s } from "../support/Progress.ts"
import { type Part, type PartName, type PartResult, type ProvePlan, parts, plannedFor } from "./Parts.ts"

/** Root directory of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

/** The shell command that runs one part of the proof. */
export const commandOf = ({ args, script }: Part, plan: ProvePlan): string =>
  [...(script === "test" ? ["npm", "test"] : ["npm", "run", script]), "--", ...args(plan)].join(" ")

/** Node arguments for the programs that package.json scripts start. */
const programs: Readonly<Record<string, ReadonlyArray<string>>> = {
  node: [],
  vitest: ["node_modules/vitest/vitest.mjs"]
}

/** The command of a part as arguments of Node. */
export const nodeArgsOf = ({ args, asJson, script }: Part, plan: ProvePlan): ReadonlyArray<string> => {
  const [program = "", ...rest] = manifest.scripts[script].split(" ")
  return [...(programs[program] ?? []), ...rest, ...args(plan), asJson]
}

/** Output and exit code of a command. The code is null if a signal ended the command. */
export interface ProgramResult {
  readonly stdout: string
  readonly exitCode: number | null
}

/** Runs a program of this repository until it ends, and passes on each line of its stderr. */
const runNode = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  onLine: (line: string) => Effect.Effect<void>
) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const child = yield* spawner.spawn(ChildProcess.make(process.execPath, args, { cwd: root, stdin: "ignore" }))
  const [stdout] = yield* Effect.all(
    [
      child.stdout.pipe(Stream.decodeText(), Stream.mkString),
      child.stderr.pipe(Stream.decodeText(), Stream.splitLines, Stream.runForEach(onLine))
    ],
    { concurrency: "unbounded" }
  )
  const exitCode = yield* Effect.orElseSucceed(child.exitCode, () => null)
  return { stdout, exitCode } satisfies ProgramResult
}, Effect.scoped)

/** Weight of the planned durations when the pace is estimated. They count as much as 30 seconds of measured work. */
const planWeight_s = 30

/** State of a running proof. */
export interface PartProgress {
  readonly planned_s: ReadonlyArray<number>
  /** Index of the current part. */
  readonly part: number
  /** Fraction of the current part that is done. */
  readonly share: number
  readonly elapsed_s: number
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

/** Percentage of the whole proof that is done, and the remaining time at the present pace. */
export const overallProgress = ({ elapsed_s, part, planned_s, share }: PartProgress) => {
  const total_s = sum(planned_s)
  const done_s = sum(planned_s.slice(0, part)) + share * (planned_s[part] ?? 0)
  const pace = (elapsed_s + planWeight_s) / (done_s + planWeight_s)
  return { percent: Math.min(99, Math.floor((100 * done_s) / total_s)), left_s: (total_s - done_s) * pace }
}

/** Reads the completed fraction from a progress line such as `12 % …`; null for any other line. */
export const reportedShare = (line: string): number | null => {
  const percent = /^\s*(\d{1,3}) %/.exec(line)?.[1]
  return percent === undefined ? null : Number(percent) / 100
}

/** Combines a line of a command with the progress of the whole proof. */
export const progressLine = (progress: PartProgress, name: string, line: string): string => {
  const { left_s, percent } = overallProgress(progress)
  return `${String(percent).padStart(3)} % of all, about ${formatDuration(left_s)} left | ${name}: ${line.trim()}`
}

/** A finished part. */
export interface PartProof extends PartResult {
  readonly name: PartName
  readonly command: string
  readonly seconds: number
}

/** Number of output lines to show for a command that does not print its JSON document. */
const lastLines_max = 5

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").flatMap((line) => line.trim() || [])

/**
 * Decides from the document and the exit code whether a part held. A missing document, or an exit code that contradicts
 * the document, is a violation.
 */
export const judgePart = (
  part: Part,
  { exitCode, stdout }: ProgramResult,
  messages: ReadonlyArray<string>
): PartResult => {
  const read = part.read(stdout)
  const ending = exitCode === null ? "a signal ended it" : `it ended with exit code ${exitCode}`
  if (read === null) {
    const lines = [...messages, ...linesOf(stdout)].slice(0, lastLines_max)
    const broken = [`${ending} and printed no document`, ...lines].join(": ")
    return { counts: "no result", digest: null, broken, again: null }
  }
  return exitCode === 0 || read.broken !== null ? read : { ...read, broken: ending }
}

/** Interval at which a progress line is printed, because some commands print nothing for minutes. */
const heartbeat = "30 seconds"

/** Maximum completed fraction that is assumed for a command that reports no progress. */
const unreported_max = 0.95

/** Factor of the timeout of a command. The timeout is its expected duration times this factor, plus 15 minutes. */
const timeoutFactor = 10

/** Runs the parts in order. After a violation, the next part still runs. */
export const prove = Effect.fnUntraced(function* (names: ReadonlyArray<PartName>, plan: ProvePlan) {
  const planned_s = names.map((name) => plannedFor(parts[name], plan.share))
  const began_s = yield* monotonic_s

  const proven = Effect.fnUntraced(function* (name: PartName, index: number) {
    const part = parts[name]
    const command = commandOf(part, plan)
    const from_s = yield* monotonic_s
    const messages: Array<string> = []
    let reported: number | null = null
    const print = (line: string) =>
      Effect.flatMap(monotonic_s, (now_s) => {
        const share = reported ?? Math.min(unreported_max, (now_s - from_s) / (planned_s[index] ?? 1))
        return Console.error(progressLine({ planned_s, part: index, share, elapsed_s: now_s - began_s }, name, line))
      })
    const forward = (line: string) => {
      const share = reportedShare(line)
      if (share === null) messages.push(line.trim())
      else reported = share
      return print(line)
    }
    yield* print(command)
    const limit = Duration.sum(Duration.seconds(timeoutFactor * (planned_s[index] ?? 0)), Duration.minutes(15))
    const ended = yield* Effect.raceFirst(
      runNode(nodeArgsOf(part, plan), forward),
      Effect.forever(Effect.delay(print("still running"), heartbeat))
    ).pipe(
      Effect.timeoutOrElse({
        duration: limit,
        orElse: () =>
          Effect.sync((): ProgramResult => {
            messages.push(`it timed out after ${Duration.format(limit)}`)
            return { stdout: "", exitCode: null }
          })
      })
    )
    const reading = judgePart(part, ended, messages.slice(-lastLines_max))
    if (reading.broken !== null) yield* print(`BROKEN: ${reading.broken}`)
    return { name, command, seconds: (yield* monotonic_s) - from_s, ...reading } satisfies PartProof
  })

  return yield* Effect.forEach(names, proven)
})
