import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Predicate } from "effect"
import { eventually } from "../support/Eventually.ts"

const main = fileURLToPath(new URL("../../facade/cli/main.ts", import.meta.url))

/** A test starts several processes, on a machine that does other things: slow is not wrong. */
export const timeout_ms = 180_000

type Environment = Readonly<Record<string, string>>

/** Tests run beside each other, and beside whatever else the machine does: each port is one that is free. */
const quiet: Environment = { LOG_FORMAT: "json", LOG_LEVEL: "error", OPS_PORT: "off" }

/** What a process has from the tests: nothing that could change what it does. */
const inherited: Environment = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE"].map((name) => [name, process.env[name] ?? ""])
)

/** A directory that is gone when the test is over, with a Postgres that a failed test may have left in it. */
export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "saldo-boot-"))),
  (directory) =>
    Effect.sync(() => {
      const left = postgresOf(directory)
      if (left !== null) killAny(left)
      rmSync(directory, { recursive: true, force: true })
    })
)

const killAny = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It was killed by the test itself.
  }
}

/** A saldo process, with what it has said so far. */
export interface Running {
  readonly process: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
}

/** Starts a program; whatever becomes of it, it is gone when the scope closes. */
export const program = (file: string, args: ReadonlyArray<string>, environment: Environment) =>
  Effect.acquireRelease(
    Effect.sync((): Running => {
      const env = { ...inherited, ...quiet, ...environment }
      const child = spawn(process.execPath, [file, ...args], { env, stdio: ["ignore", "pipe", "pipe"] })
      return { process: child, stdout: collected(child.stdout), stderr: collected(child.stderr) }
    }),
    (running) => stopped(running, "SIGTERM")
  )

/** Starts `saldo`. */
export const saldo = (args: ReadonlyArray<string>, environment: Environment) => program(main, args, environment)

const collected = (stream: NodeJS.ReadableStream) => {
  let text = ""
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk
  })
  return () => text
}

const isOver = ({ process: { exitCode, signalCode } }: Running) => exitCode !== null || signalCode !== null

/** The exit code once the process has ended, null if a signal ended it. */
export const ended = (running: Running): Effect.Effect<number | null> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.succeed(running.process.exitCode))
    if (isOver(running)) done()
    else running.process.once("close", done)
  })

export const stopped = (running: Running, signal: NodeJS.Signals): Effect.Effect<number | null> =>
  Effect.andThen(
    Effect.sync(() => running.process.kill(signal)),
    ended(running)
  )

/** A server that takes calls, and where. */
export const serving = (environment: Environment) =>
  Effect.flatMap(saldo(["serve"], { PORT: "0", ...environment }), listening)

/** Waits until a server says where it is ready. */
export const listening = Effect.fnUntraced(function* (running: Running) {
  const told = Effect.sync(() => {
    if (isOver(running)) throw new Error(`the server ended: ${running.stderr()}`)
    return /ready at (\S+)/.exec(running.stdout())?.[1]
  })
  const url = yield* eventually(told, Predicate.isNotUndefined)
  return { ...running, url }
})

/** What the tests look at in an answer. */
interface Answered {
  readonly data: { readonly transaction_id: number; readonly status: string }
  readonly error: { readonly code: string }
}

/** The sale that the server's own words tell a newcomer to make. */
export const sellAsPrinted = (output: string) => {
  const [, url = ""] = /curl -sk? (\S+)/.exec(output) ?? []
  const headers = [...output.matchAll(/-H '([\w-]+): (.+)'/g)].map(
    ([, name = "", value = ""]) => [name, value] as const
  )
  const [, body = ""] = /-d '(.+)'/.exec(output) ?? []
  return Effect.promise(async () => {
    const response = await fetch(url, { method: "POST", headers: headers.map((header) => [...header]), body })
    return { response, body: (await response.json()) as Answered }
  })
}

/** The process id of the Postgres that has its files in the directory, null when it has stopped in order. */
export const postgresIn = (directory: string): number | null => {
  const file = join(directory, "data", "postmaster.pid")
  return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : null
}

/** The same, for a data directory that Postgres's user can reach. */
export const postgresOf = (dataDirectory: string): number | null => postgresIn(join(dataDirectory, "postgres"))
