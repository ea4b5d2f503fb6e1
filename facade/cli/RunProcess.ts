import cluster from "node:cluster"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Stdio } from "effect"
import { runCommandLine } from "./CommandLine.ts"

const interruptedExitCode = 130

// One Ctrl-C can arrive twice: from the terminal, and from npm, which forwards signals.
const repeatedSignal_ms_max = 1000

/** Exits at the second signal without waiting for the sales in progress. Recovery settles them after the next start. */
const exitOnSecondSignal = (): void => {
  let asked_ms: number | null = null
  const asked = () => {
    asked_ms ??= performance.now()
    if (performance.now() - asked_ms > repeatedSignal_ms_max) process.exit(interruptedExitCode)
  }
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, asked)
}

// The command is the first argument that is no flag. A later "serve" may be the name of a token.
const isServing = ["serve", "console"].includes(process.argv.slice(2).find((each) => !each.startsWith("-")) ?? "")

/** Keeps the process running when its output stream is closed, for example by a log collector that restarts. */
const ignoreClosedStreams = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}

/**
 * Fails the command if its output could not be written, for example on a full disk. Otherwise the secret of a new
 * token, which is shown only once, would be lost unnoticed.
 */
const failOnUnwrittenAnswer = (): void => {
  if (isServing) return
  process.stdout.once("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") return
    process.stderr.write(`The output could not be written (${message}). The command may have taken effect.\n`)
    process.once("exit", (said) => {
      if (said === 0) process.exitCode = 1
    })
  })
}

// Exit code after a signal. A server that has finished its sales and stopped has succeeded. Every other command was
// interrupted.
const stoppedExitCode = isServing ? 0 : interruptedExitCode

// A worker process stops when its primary process tells it to stop or ends. A signal that a terminal sends to all its
// processes must not end the worker earlier.
if (cluster.isWorker) process.on("SIGHUP", () => {})
else exitOnSecondSignal()
ignoreClosedStreams()
failOnUnwrittenAnswer()

Stdio.Stdio.use(({ args }) => Effect.flatMap(args, runCommandLine)).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    teardown: (exit, onExit) =>
      onExit(
        Exit.match(exit, {
          onSuccess: (code) => Number(code),
          onFailure: (cause) => (Cause.hasInterruptsOnly(cause) ? stoppedExitCode : 1)
        })
      )
  })
)
