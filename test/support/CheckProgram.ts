import { cpus, totalmem, type } from "node:os"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Exit, Stdio } from "effect"
import { CliError, Command, GlobalFlag } from "effect/cli"
import { CheckFailed, jsonFlag, withUsage } from "../../facade/cli/terminal/Output.ts"
import manifest from "../../package.json" with { type: "json" }

/** Properties of the machine that affect measurements. */
export const machineFacts = () => {
  const [cpu] = cpus()
  return {
    machine: `${cpus().length} x ${cpu?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()}`,
    node: process.version
  }
}

const wrongUsage = 2

/** The exit code for an error. Wrong command-line arguments are not reported here, because they were already reported. */
const explain = (error: unknown) => {
  if (error instanceof CheckFailed) return Effect.succeed(1)
  return CliError.isCliError(error) ? Effect.succeed(wrongUsage) : Effect.fail(error)
}

/**
 * Runs a command with the arguments of this process. The only flags are the flags of the command, --help and --json.
 * The name of the command is what the user types, so that the usage line can be copied.
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
 * Runs a program that checks invariants. Its exit code is 0 if all invariants hold, 1 if an invariant is violated or the
 * program fails, and 2 for wrong usage.
 */
export const runCheck = <E>(run: Effect.Effect<void, E>): void =>
  run.pipe(
    Effect.as(0),
    Effect.catch(explain),
    NodeRuntime.runMain({
      teardown: (exit, onExit) => onExit(Exit.match(exit, { onSuccess: (code) => code as number, onFailure: () => 1 }))
    })
  )
