import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Exit } from "effect"
import { CliConfig, CliError, Command, GlobalFlag } from "effect/cli"
import { CheckFailed } from "../facade/cli/Output.ts"
import manifest from "../package.json" with { type: "json" }

const wrongUsage = 2

/** What is wrong with a command line has been said by then. */
const explain = (error: unknown) => {
  if (error instanceof CheckFailed) return Effect.succeed(1)
  return CliError.isCliError(error) ? Effect.succeed(wrongUsage) : Effect.fail(error)
}

/** A command with the arguments of this process. It has its own flags, and --help. */
export const programOf = <const Name extends string, Input, E, R, ContextInput>(
  command: Command.Command<Name, Input, ContextInput, E, R>
) =>
  Command.run(command, { version: manifest.version }).pipe(
    Effect.provideService(CliConfig.CliConfig, { builtIns: [GlobalFlag.Help] }),
    Effect.provide(NodeServices.layer)
  )

/** Runs a program that checks something. The process ends with 0, with 1 if it does not hold, with 2 for wrong usage. */
export const runCheck = <E>(run: Effect.Effect<void, E>): void =>
  run.pipe(
    Effect.as(0),
    Effect.catch(explain),
    NodeRuntime.runMain({
      teardown: (exit, onExit) => onExit(Exit.match(exit, { onSuccess: (code) => code as number, onFailure: () => 1 }))
    })
  )
