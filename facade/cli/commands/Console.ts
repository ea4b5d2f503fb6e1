import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { print } from "../terminal/Output.ts"

const announce = (url: string, place: string) =>
  print({ url, data: place }, `The operator console is ready at ${url}\n  data         ${place}`)

// Loads the modules of the console only for this command.
const process = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("../../ConsoleLayer.ts")),
    ({ consoleProcess }) => consoleProcess(announce)
  )
)

export const consoleCommand = Command.make("console", {}, () => Layer.launch(process)).pipe(
  Command.withDescription(
    "Serve the operator console at CONSOLE_HOST and CONSOLE_PORT, with the database login of an operator. While no admin has an account, the printed address contains a one-time link that opens the console. On Ctrl-C or SIGTERM, stops."
  ),
  Command.withShortDescription("Serve the operator console"),
  Command.withExamples([{ command: "CONSOLE_PORT=3081 saldo console", description: "On a different port" }])
)
