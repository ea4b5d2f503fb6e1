import { fileURLToPath } from "node:url"
import { Console, Duration, Effect, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import manifest from "../../package.json" with { type: "json" }
import { formatDuration, monotonic_s } from "../support/Progress.ts"
import { type Part, type PartName, type PartResult, type ProvePlan, parts, plannedFor } from "./Parts.ts"

/** Where all of it is. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

/** The command as a person types it. */
export const commandOf = ({ args, script }: Part, plan: ProvePlan): string =>
  [...(script === "test" ? ["npm", "test"] : ["npm", "run", script]), "--", ...args(plan)].join(" ")

/** What Node is to run when a script says so. */
const programs: Readonly<Record<string, ReadonlyArray<string>>> = {
  node: [],
  vitest: ["node_modules/vitest/vitest.mjs"]
}

/** The same for this Node. */
export const nodeArgsOf = ({ args, asJson, script }: Part, plan: ProvePlan): ReadonlyArray<string> => {
  const [program = "", ...rest] = manifest.scripts[script].split(" ")
  return [...(programs[program] ?? []), ...rest, ...args(plan), asJson]
}

/** What a command printed, and how it ended: null by a signal. */
export interface ProgramResult {
  readonly stdout: string
  readonly exitCode: number | null
}

/** Runs a program of this project to its end; what it says on stderr is told line by line. */
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

/** Until so much was planned and done, what was planned counts for more than how it goes. */
const prior_s = 30

/** Where a run of parts stands. */
export interface PartProgress {
  readonly planned_s: ReadonlyArray<number>
  /** Which part is under way. */
  readonly part: number
  /** How much of that is done. */
  readonly share: number
  readonly elapsed_s: number
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

/** How far all of it is, and how long the rest takes at the pace so far. */
export const overallProgress = ({ elapsed_s, part, planned_s, share }: PartProgress) => {
  const total_s = sum(planned_s)
  const done_s = sum(planned_s.slice(0, part)) + share * (planned_s[part] ?? 0)
  const pace = (elapsed_s + prior_s) / (done_s + prior_s)
  return { percent: Math.min(99, Math.floor((100 * done_s) / total_s)), left_s: (total_s - done_s) * pace }
}

/** How much of a part is done, by what its command says of itself: `12 %  …`; null for any other line. */
export const reportedShare = (line: string): number | null => {
  const percent = /^\s*(\d{1,3}) %/.exec(line)?.[1]
  return percent === undefined ? null : Number(percent) / 100
}

/** What a command says, and how far all of it is. */
export const progressLine = (standing: PartProgress, name: string, said: string): string => {
  const { left_s, percent } = overallProgress(standing)
  return `${String(percent).padStart(3)} % of all, about ${formatDuration(left_s)} left | ${name}: ${said.trim()}`
}

/** What came of a part. */
export interface PartProof extends PartResult {
  readonly name: PartName
  readonly command: string
  readonly seconds: number
}

/** So many lines of a command that came to nothing are shown. */
const lastLines_max = 5

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").flatMap((line) => line.trim() || [])

/** What the command said of itself; one that said nothing, or ended otherwise than it said, did not hold. */
export const judgePart = (
  part: Part,
  { exitCode, stdout }: ProgramResult,
  complaints: ReadonlyArray<string>
): PartResult => {
  const read = part.read(stdout)
  const ending = exitCode === null ? "it was ended by a signal" : `it ended with exit code ${exitCode}`
  if (read === null) {
    const words = [...complaints, ...linesOf(stdout)].slice(0, lastLines_max)
    const broken = [`${ending} and printed no document`, ...words].join(": ")
    return { counts: "nothing that it told", digest: null, broken, again: null }
  }
  return exitCode === 0 || read.broken !== null ? read : { ...read, broken: ending }
}

/** Some commands are silent for minutes; whoever waits wants to know that they are alive. */
const heartbeat = "30 seconds"

/** Of a command that does not say how far it is, no more than this is believed to be done. */
const unreported_max = 0.95

/** Whoever takes so many times as long as was planned, and a quarter of an hour, hangs. */
const timeoutFactor = 10

/** Runs parts one after the other, whatever comes of each. */
export const prove = Effect.fnUntraced(function* (names: ReadonlyArray<PartName>, plan: ProvePlan) {
  const planned_s = names.map((name) => plannedFor(parts[name], plan.share))
  const began_s = yield* monotonic_s

  const proven = Effect.fnUntraced(function* (name: PartName, index: number) {
    const part = parts[name]
    const command = commandOf(part, plan)
    const from_s = yield* monotonic_s
    const complaints: Array<string> = []
    let said: number | null = null
    const say = (line: string) =>
      Effect.flatMap(monotonic_s, (now_s) => {
        const share = said ?? Math.min(unreported_max, (now_s - from_s) / (planned_s[index] ?? 1))
        return Console.error(progressLine({ planned_s, part: index, share, elapsed_s: now_s - began_s }, name, line))
      })
    const forward = (line: string) => {
      const share = reportedShare(line)
      if (share === null) complaints.push(line.trim())
      else said = share
      return say(line)
    }
    yield* say(command)
    const limit = Duration.sum(Duration.seconds(timeoutFactor * (planned_s[index] ?? 0)), Duration.minutes(15))
    const ended = yield* Effect.raceFirst(
      runNode(nodeArgsOf(part, plan), forward),
      Effect.forever(Effect.delay(say("goes on"), heartbeat))
    ).pipe(
      Effect.timeoutOrElse({
        duration: limit,
        orElse: () =>
          Effect.sync((): ProgramResult => {
            complaints.push(`it had not ended after ${Duration.format(limit)}`)
            return { stdout: "", exitCode: null }
          })
      })
    )
    const reading = judgePart(part, ended, complaints.slice(-lastLines_max))
    if (reading.broken !== null) yield* say(`BROKEN: ${reading.broken}`)
    return { name, command, seconds: (yield* monotonic_s) - from_s, ...reading } satisfies PartProof
  })

  return yield* Effect.forEach(names, proven)
})
