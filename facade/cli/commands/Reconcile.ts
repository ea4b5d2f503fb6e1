import { Effect } from "effect"
import { Command } from "effect/cli"
import { recover } from "../../../core/workflows/Recover.ts"
import { operator } from "../../App.ts"
import { print } from "../Output.ts"

export const reconcile = Command.make("reconcile", {}, () =>
  Effect.gen(function* () {
    const { confirmed, released, reversalsDenied, reversed, stillUnknown } = yield* recover("all")
    const asked = confirmed + released + reversalsDenied + reversed + stillUnknown
    yield* print(
      {
        confirmadas: confirmed,
        devueltas: released,
        anuladas: reversed,
        anulaciones_negadas: reversalsDenied,
        sin_resolver: stillUnknown
      },
      `Asked about ${asked}: ${confirmed} confirmed, ${released} given back, ${reversed} reversed, ${reversalsDenied} reversals denied, ${stillUnknown} still unknown.`
    )
  })
).pipe(
  Command.provide(operator),
  Command.withDescription(
    "Ask the providers now about every sale and reversal whose outcome is unknown, and settle what is firm. The server does the same by itself, on its schedule; any number of both may run at once. Nothing is ever sent twice."
  ),
  Command.withShortDescription("Ask now about every sale whose outcome is unknown"),
  Command.withExamples([{ command: "saldo reconcile --json", description: "One cycle, for a script" }])
)
