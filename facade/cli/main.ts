#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Stdio } from "effect"
import { runCommandLine } from "./CommandLine.ts"

const interruptedExitCode = 130

// One Ctrl-C can arrive twice: from the terminal, and from npm, which passes on what it gets.
const repeatedSignal_ms_max = 1000

/** Whoever signals again does not want to wait for the sales under way: recovery settles them after the next start. */
const exitOnSecondSignal = (): void => {
  let asked_ms: number | null = null
  const asked = () => {
    asked_ms ??= performance.now()
    if (performance.now() - asked_ms > repeatedSignal_ms_max) process.exit(interruptedExitCode)
  }
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, asked)
}

// The command comes first among what is no flag; after it the word may be a token's name.
const isServing = process.argv.slice(2).find((each) => !each.startsWith("-")) === "serve"

/** Who reads the output may close it, such as a collector of logs that restarts, or `head`: sales go on. */
const ignoreClosedStreams = (): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}

/** A full disk is another matter: a token's secret is shown once, and the operator has to learn that it was not. */
const failOnUnwrittenAnswer = (): void => {
  if (isServing) return
  process.stdout.once("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") return
    process.stderr.write(
      `The answer could not be written (${message}), though what was asked for may have been done.\n`
    )
    process.once("exit", (said) => {
      if (said === 0) process.exitCode = 1
    })
  })
}

// A server is there to be stopped: once it has drained, that is no failure. Any other command was cut short.
const stoppedExitCode = isServing ? 0 : interruptedExitCode

exitOnSecondSignal()
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
