import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect, Predicate } from "effect"
import { eventually } from "./Eventually.ts"

const main = fileURLToPath(new URL("../../facade/cli/main.ts", import.meta.url))

type Environment = Readonly<Record<string, string>>

/** Several run beside each other, and beside whatever else the machine does: each port is one that is free. */
const quiet: Environment = { LOG_FORMAT: "json", LOG_LEVEL: "error", OPS_PORT: "off" }

/** What a process has from whoever starts it: nothing that could change what it does. */
const inherited: Environment = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE"].map((name) => [name, process.env[name] ?? ""])
)

/** A saldo process, with what it has said so far. */
export interface SaldoProcess {
  readonly process: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
}

/** Starts a program; whatever becomes of it, it is gone when the scope closes. */
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

/** The exit code once the process has ended, null if a signal ended it. */
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

/** A server that takes calls, and where. */
export const serving = (environment: Environment, nodeFlags: ReadonlyArray<string> = []) =>
  Effect.flatMap(saldo(["serve"], { PORT: "0", ...environment }, nodeFlags), listening)

/** Waits until a server says where it is ready. */
export const listening = Effect.fnUntraced(function* (running: SaldoProcess) {
  const told = Effect.sync(() => {
    if (isOver(running)) throw new Error(`the server ended: ${running.stderr()}`)
    return /ready at (\S+)/.exec(running.stdout())?.[1]
  })
  const url = yield* eventually(told, Predicate.isNotUndefined)
  return { ...running, url }
})
