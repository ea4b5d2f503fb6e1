import { Effect } from "effect"
import { Command } from "effect/cli"
import { type Recovered, recover } from "../../../core/workflows/Recover.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { Settings } from "../../settings/Settings.ts"
import { CheckFailed, print } from "../terminal/Output.ts"

const formatAsked = (asked: number, recovered: Recovered): string => {
  const { confirmed, released, reversalsDenied, reversed, stillUnknown } = recovered
  return `Asked about ${asked}: ${confirmed} confirmed, ${released} given back, ${reversed} reversed, ${reversalsDenied} reversals denied, ${stillUnknown} still unknown.`
}

// The usual cause is a shell without the servers' environment variables.
const formatNotAsked = (notAsked: number, absent: ReadonlyArray<string>): string => {
  const why =
    absent.length === 0
      ? "whoever would know takes no calls at present. Run it again later; the servers do so by themselves."
      : `${absent.join(" and ")} ${absent.length === 1 ? "is" : "are"} not set here, so there is nobody to ask for what is sold in production. Run this command with the variables of the servers.`
  return `Could not ask about ${notAsked}, which stay held: ${why}`
}

export const reconcile = Command.make("reconcile", {}, () =>
  Effect.gen(function* () {
    const { parties } = yield* Settings
    const recovered = yield* recover("all")
    const { confirmed, notAsked, released, reversalsDenied, reversed, stillUnknown } = recovered
    const asked = confirmed + released + reversalsDenied + reversed + stillUnknown
    const absent = (["provider", "insurer"] as const).flatMap((name) =>
      parties[name] === null ? [name.toUpperCase()] : []
    )
    const words = [
      ...(asked > 0 || notAsked === 0 ? [formatAsked(asked, recovered)] : []),
      ...(notAsked > 0 ? [formatNotAsked(notAsked, absent)] : [])
    ]
    yield* print(
      {
        confirmadas: confirmed,
        devueltas: released,
        anuladas: reversed,
        anulaciones_negadas: reversalsDenied,
        sin_resolver: stillUnknown,
        sin_preguntar: notAsked,
        variables_ausentes: notAsked > 0 ? absent : []
      },
      words.join("\n")
    )
    if (asked === 0 && notAsked > 0) return yield* new CheckFailed()
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Ask the providers now about every sale and reversal whose outcome is unknown, and settle what is firm. The server does the same by itself, on its schedule; any number of both may run at once. Nothing is ever sent twice. Exit code 1 if there was something to ask and nobody to ask."
  ),
  Command.withShortDescription("Ask now about every sale whose outcome is unknown"),
  Command.withExamples([{ command: "saldo reconcile --json", description: "One cycle, for a script" }])
)
