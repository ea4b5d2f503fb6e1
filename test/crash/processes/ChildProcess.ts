import { spawn } from "node:child_process"
import { createWriteStream } from "node:fs"
import { createInterface } from "node:readline"
import { type Cause, Deferred, Effect, Queue, Schema } from "effect"

/** Failure of a wait for output, because the process ended first. */
class ChildEnded extends Schema.TaggedError<ChildEnded>()("ChildEnded", { message: Schema.String }) {}

/** Number of characters of output that are kept for the report about a process that ended by itself. */
const lastWords_max = 2_000

/** A child process that reads JSON lines on stdin and writes lines on stdout. */
export interface ChildProcess {
  readonly send: (document: unknown) => Effect.Effect<void>
  /** Takes the next line of output. */
  readonly line: Effect.Effect<string, ChildEnded>
  /** Takes lines until one starts with this prefix, and returns the rest of that line. */
  readonly lineAfter: (beginning: string) => Effect.Effect<string, ChildEnded>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Closes stdin, after which the process ends by itself. */
  readonly dismiss: Effect.Effect<void>
  /** Waits until the process has ended and its output is read. Returns the exit code; null after a signal. */
  readonly ended: Effect.Effect<number | null>
  readonly isOver: () => boolean
  /** The end of the output, and the path of the log file. */
  readonly lastWords: () => string
}

interface Program {
  readonly file: string
  readonly environment: Readonly<Record<string, string>>
  /** File to which the output is appended. */
  readonly log: string
}

const spawnChild = ({ environment, file, log }: Program): ChildProcess => {
  const env = { PATH: process.env["PATH"] ?? "", ...environment }
  const child = spawn(process.execPath, [file], { env, stdio: ["pipe", "pipe", "pipe"] })
  const logged = createWriteStream(log, { flags: "a" })
  let lastWords = ""
  // A program may write its last error to either stream.
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(logged, { end: false })
    stream.on("data", (said) => {
      lastWords = `${lastWords}${said}`.slice(-lastWords_max)
    })
  }
  const lines = Effect.runSync(Queue.unbounded<string, Cause.Done>())
  const over = Deferred.makeUnsafe<number | null>()
  createInterface({ input: child.stdout }).on("line", (line) => Queue.offerUnsafe(lines, line))
  child.once("close", (code) =>
    logged.end(() => {
      Deferred.doneUnsafe(over, Effect.succeed(code))
      Queue.endUnsafe(lines)
    })
  )
  // Writing to a killed process raises EPIPE.
  child.stdin.on("error", () => undefined)
  const line = Queue.take(lines).pipe(
    Effect.catchTag("Done", () =>
      Effect.fail(new ChildEnded({ message: `${file} ended (${child.exitCode}): see ${log}` }))
    )
  )
  return {
    send: (document) => Effect.sync(() => void child.stdin.write(`${JSON.stringify(document)}\n`)),
    line,
    lineAfter: (beginning) =>
      Effect.repeat(line, { until: (said) => said.startsWith(beginning) }).pipe(
        Effect.map((said) => said.slice(beginning.length))
      ),
    signal: (signal) => Effect.sync(() => void child.kill(signal)),
    dismiss: Effect.sync(() => void child.stdin.end()),
    ended: Deferred.await(over),
    isOver: () => child.exitCode !== null || child.signalCode !== null,
    lastWords: () => `${lastWords.trimEnd()}\n(all of it: ${log})`
  }
}

/** Starts a program. Closing the scope kills it. */
export const startChild = (wanted: Program) =>
  Effect.acquireRelease(
    Effect.sync(() => spawnChild(wanted)),
    ({ ended, signal }) => Effect.andThen(signal("SIGKILL"), ended)
  )
