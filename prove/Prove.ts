import { Console, Duration, Effect } from "effect"
import { seconds } from "../tools/Progress.ts"
import { commandOf, type Ended, nodeArgsOf, runNode } from "./Command.ts"
import type { Part, Plan, Reading } from "./Part.ts"
import { type PartName, parts, plannedFor } from "./Parts.ts"
import { progressLine, shareSaid } from "./Progress.ts"

/** What came of a part. */
export interface Proven extends Reading {
  readonly name: PartName
  readonly command: string
  readonly seconds: number
}

/** So many lines of a command that came to nothing are shown. */
const lastWords_max = 5

const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").flatMap((line) => line.trim() || [])

/** What the command said of itself; one that said nothing, or ended otherwise than it said, did not hold. */
export const judged = (part: Part, { exitCode, stdout }: Ended, complaints: ReadonlyArray<string>): Reading => {
  const read = part.read(stdout)
  const ending = exitCode === null ? "it was ended by a signal" : `it ended with exit code ${exitCode}`
  if (read === null) {
    const words = [...complaints, ...linesOf(stdout)].slice(0, lastWords_max)
    const broken = [`${ending} and printed no document`, ...words].join(": ")
    return { counts: "nothing that it told", digest: null, broken, again: null }
  }
  return exitCode === 0 || read.broken !== null ? read : { ...read, broken: ending }
}

/** Some commands are silent for minutes; whoever waits wants to know that they are alive. */
const heartbeat = "30 seconds"

/** Of a command that does not say how far it is, no more than this is believed to be done. */
const unsaid_max = 0.95

/** Whoever takes so many times as long as was planned, and a quarter of an hour, hangs. */
const patience = 10

/** Runs parts one after the other, whatever comes of each. */
export const prove = Effect.fnUntraced(function* (names: ReadonlyArray<PartName>, plan: Plan) {
  const planned_s = names.map((name) => plannedFor(parts[name], plan.share))
  const began_s = yield* seconds

  const proven = Effect.fnUntraced(function* (name: PartName, index: number) {
    const part = parts[name]
    const command = commandOf(part, plan)
    const from_s = yield* seconds
    const complaints: Array<string> = []
    let said: number | null = null
    const say = (line: string) =>
      Effect.flatMap(seconds, (now_s) => {
        const share = said ?? Math.min(unsaid_max, (now_s - from_s) / (planned_s[index] ?? 1))
        return Console.error(progressLine({ planned_s, part: index, share, elapsed_s: now_s - began_s }, name, line))
      })
    const forward = (line: string) => {
      const share = shareSaid(line)
      if (share === null) complaints.push(line.trim())
      else said = share
      return say(line)
    }
    yield* say(command)
    const limit = Duration.sum(Duration.seconds(patience * (planned_s[index] ?? 0)), Duration.minutes(15))
    const ended = yield* Effect.raceFirst(
      runNode(nodeArgsOf(part, plan), forward),
      Effect.forever(Effect.delay(say("goes on"), heartbeat))
    ).pipe(
      Effect.timeoutOrElse({
        duration: limit,
        orElse: () =>
          Effect.sync((): Ended => {
            complaints.push(`it had not ended after ${Duration.format(limit)}`)
            return { stdout: "", exitCode: null }
          })
      })
    )
    const reading = judged(part, ended, complaints.slice(-lastWords_max))
    if (reading.broken !== null) yield* say(`BROKEN: ${reading.broken}`)
    return { name, command, seconds: (yield* seconds) - from_s, ...reading } satisfies Proven
  })

  return yield* Effect.forEach(names, proven)
})
