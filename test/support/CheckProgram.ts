import { cpus, totalmem, type } from "node:os"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Exit, Stdio } from "effect"
import { CliError, Command, GlobalFlag } from "effect/cli"
import { CheckFailed, jsonFlag, withUsage } from "../../facade/cli/terminal/Output.ts"
import manifest from "../../package.json" with { type: "json" }

/** The machine, as far as figures depend on it. */
export const machineFacts = () => {
  const [cpu] = cpus()
  return {
    machine: `${cpus().length} x ${cpu?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()}`,
    node: process.version
  }
}

const wrongUsage = 2

/** What is wrong with a command line has been said by then. */
const explain = (error: unknown) => {
  if (error instanceof CheckFailed) return Effect.succeed(1)
  return CliError.isCliError(error) ? Effect.succeed(wrongUsage) : Effect.fail(error)
}

/**
 * A command with the arguments of this process. It has its own flags, --help and --json, and is named as it is typed,
 * so that its usage is a line that works.
 */
export const programOf = <const Name extends string, Input, E, R, ContextInput>(
  command: Command.Command<Name, Input, ContextInput, E, R>
) =>
  Stdio.Stdio.use((stdio) =>
    Effect.flatMap(stdio.args, (args) =>
      Command.runWith(Command.withGlobalFlags(command, [jsonFlag]), { version: manifest.version })(args).pipe(
        withUsage(args, [GlobalFlag.Help])
      )
    )
  ).pipe(Effect.provide(NodeServices.layer))

/**
 * Runs a program that checks something. The process ends with 0, with 1 if it does not hold, with 2 for wrong usage.
 */
export const runCheck = <E>(run: Effect.Effect<void, E>): void =>
  run.pipe(
    Effect.as(0),
    Effect.catch(explain),
    NodeRuntime.runMain({
      teardown: (exit, onExit) => onExit(Exit.match(exit, { onSuccess: (code) => code as number, onFailure: () => 1 }))
    })
  )
