import { spawn } from "node:child_process"
import { createWriteStream } from "node:fs"
import { createInterface } from "node:readline"
import { type Cause, Deferred, Effect, Queue, Schema } from "effect"

/** A process ended that was to say something. */
class ChildEnded extends Schema.TaggedError<ChildEnded>()("Gone", { message: Schema.String }) {}

/** So much of what a process said is shown when it ends by itself. */
const lastWords_max = 2_000

/** A process of the run. It can be told something a line, and says something a line. */
export interface ChildProcess {
  readonly tell: (document: unknown) => Effect.Effect<void>
  /** The next line that it says. */
  readonly line: Effect.Effect<string, ChildEnded>
  /** The rest of the next line that begins so; whatever it says before that is only for the log. */
  readonly lineAfter: (beginning: string) => Effect.Effect<string, ChildEnded>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Nothing more will be told; it ends by itself. */
  readonly dismiss: Effect.Effect<void>
  /** Its exit code once it has ended and said all that it had to say; null if a signal ended it. */
  readonly ended: Effect.Effect<number | null>
  readonly isOver: () => boolean
  /** The end of what it has said, and where the rest is. */
  readonly lastWords: () => string
}

interface Program {
  readonly file: string
  readonly environment: Readonly<Record<string, string>>
  /** What it logs is appended here. */
  readonly log: string
}

const spawnChild = ({ environment, file, log }: Program): ChildProcess => {
  const env = { PATH: process.env["PATH"] ?? "", ...environment }
  const child = spawn(process.execPath, [file], { env, stdio: ["pipe", "pipe", "pipe"] })
  const logged = createWriteStream(log, { flags: "a" })
  let lastWords = ""
  // How a program came to its end, it may say on either.
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
  // Whoever is killed does not read to the end.
  child.stdin.on("error", () => undefined)
  const line = Queue.take(lines).pipe(
    Effect.catchTag("Done", () =>
      Effect.fail(new ChildEnded({ message: `${file} ended (${child.exitCode}): see ${log}` }))
    )
  )
  return {
    tell: (document) => Effect.sync(() => void child.stdin.write(`${JSON.stringify(document)}\n`)),
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

/** Starts a program; whatever becomes of it, it is gone when the scope closes. */
export const startChild = (wanted: Program) =>
  Effect.acquireRelease(
    Effect.sync(() => spawnChild(wanted)),
    ({ ended, signal }) => Effect.andThen(signal("SIGKILL"), ended)
  )
