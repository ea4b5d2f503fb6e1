import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect, Predicate } from "effect"
import { eventually } from "./Eventually.ts"

const main = fileURLToPath(new URL("../../facade/cli/main.js", import.meta.url))

type Environment = Readonly<Record<string, string>>

/** Default environment variables. Each process uses a free port, because several processes run at the same time. */
const quiet: Environment = { LOG_FORMAT: "json", LOG_LEVEL: "error", OPS_PORT: "off", CONSOLE_PORT: "off" }

/** Environment variables that a process inherits from the test. None of them changes its behaviour. */
const inherited: Environment = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE"].map((name) => [name, process.env[name] ?? ""])
)

/** A running process with its output so far. */
export interface SaldoProcess {
  readonly process: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
}

/** Starts a program. Closing the scope kills it. */
export const startProgram = (
  file: string,
  args: ReadonlyArray<string>,
  environment: Environment,
  nodeFlags: ReadonlyArray<string> = []
) =>
  Effect.acquireRelease(
    Effect.sync((): SaldoProcess => {
      const env = { ...inherited, ...quiet, ...environment }
      const child = spawn(process.execPath, [...nodeFlags, file, ...args], { env, stdio: ["ignore", "pipe", "pipe"] })
      return { process: child, stdout: collected(child.stdout), stderr: collected(child.stderr) }
    }),
    (running) => stopped(running, "SIGTERM")
  )

/** Starts `saldo`. */
export const saldo = (args: ReadonlyArray<string>, environment: Environment, nodeFlags: ReadonlyArray<string> = []) =>
  startProgram(main, args, environment, nodeFlags)

const collected = (stream: NodeJS.ReadableStream) => {
  let text = ""
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk
  })
  return () => text
}

const isOver = ({ process: { exitCode, signalCode } }: SaldoProcess) => exitCode !== null || signalCode !== null

/** Waits until the process ends, and returns its exit code; null if a signal ended it. */
export const ended = (running: SaldoProcess): Effect.Effect<number | null> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.succeed(running.process.exitCode))
    if (isOver(running)) done()
    else running.process.once("close", done)
  })

export const stopped = (running: SaldoProcess, signal: NodeJS.Signals): Effect.Effect<number | null> =>
  Effect.andThen(
    Effect.sync(() => running.process.kill(signal)),
    ended(running)
  )

/**
 * Starts a server and waits until it accepts calls.
 *
 * @returns the process and its URL.
 */
export const serving = (environment: Environment, nodeFlags: ReadonlyArray<string> = []) =>
  Effect.flatMap(saldo(["serve"], { PORT: "0", ...environment }, nodeFlags), listening)

/** Waits until a server prints its URL. */
export const listening = Effect.fnUntraced(function* (running: SaldoProcess) {
  const told = Effect.sync(() => {
    if (isOver(running)) throw new Error(`the server ended: ${running.stderr()}`)
    return /ready at (\S+)/.exec(running.stdout())?.[1]
  })
  const url = yield* eventually(told, Predicate.isNotUndefined)
  return { ...running, url }
})
