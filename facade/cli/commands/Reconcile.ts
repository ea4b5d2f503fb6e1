import { Effect } from "effect"
import { CliError, Command } from "effect/cli"
import { type FollowedUp, followUp } from "../../../core/workflows/FollowUp.ts"
import { type Recovered, recover } from "../../../core/workflows/Recover.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { Settings } from "../../settings/Settings.ts"
import { toggle } from "../terminal/Flags.ts"
import { CheckFailed, print } from "../terminal/Output.ts"
import { checkStatementFlags, compareFile, statementFlags } from "./CompareStatement.ts"

const formatAsked = (asked: number, recovered: Recovered): string => {
  const { confirmed, released, reversalsDenied, reversed, stillUnknown } = recovered
  return `Asked about ${asked}: ${confirmed} confirmed, ${released} released, ${reversed} reversed, ${reversalsDenied} reversals denied, ${stillUnknown} still unknown.`
}

// The command usually runs without the servers' environment variables, and then cannot ask the suppliers about a transaction.
const formatNotAsked = (notAsked: number, absent: ReadonlyArray<string>): string => {
  const why =
    absent.length === 0
      ? "the provider or insurer accepts no calls at present. Run this command again later. The servers retry automatically."
      : `${absent.join(" and ")} ${absent.length === 1 ? "is" : "are"} not set here, so production sales cannot be queried. Run this command with the environment variables of the servers.`
  return `Could not ask about ${notAsked}, which stay unresolved: ${why}`
}

const formatFollowedUp = ({ asked, contradicted, notAsked }: FollowedUp): string =>
  `Asked again about ${asked} settled sales: ${contradicted} contradicted. Could not ask about ${notAsked}.`

const settledToo = toggle("liquidadas", "Also ask again about the settled sales that are due")

export const reconcile = Command.make("reconcile", { settledToo, ...statementFlags }, ({ settledToo, ...options }) =>
  Effect.gen(function* () {
    if (options.file !== null && options.provider !== null) {
      return yield* compareFile(options.file, options.provider, options)
    }
    const { externalServices } = yield* Settings
    const recovered = yield* recover("all")
    const followed = settledToo ? yield* followUp(externalServices.followUpCalls_max ?? 1) : null
    const { confirmed, notAsked, released, reversalsDenied, reversed, stillUnknown } = recovered
    const asked = confirmed + released + reversalsDenied + reversed + stillUnknown
    const absent = (["provider", "insurer"] as const).flatMap((name) =>
      externalServices[name] === null ? [name.toUpperCase()] : []
    )
    const words = [
      ...(asked > 0 || notAsked === 0 ? [formatAsked(asked, recovered)] : []),
      ...(notAsked > 0 ? [formatNotAsked(notAsked, absent)] : []),
      ...(followed ? [formatFollowedUp(followed)] : [])
    ]
    yield* print(
      {
        confirmadas: confirmed,
        devueltas: released,
        anuladas: reversed,
        anulaciones_negadas: reversalsDenied,
        sin_resolver: stillUnknown,
        sin_preguntar: notAsked,
        variables_ausentes: notAsked > 0 ? absent : [],
        ...(followed && {
          liquidadas: {
            preguntadas: followed.asked,
            contradichas: followed.contradicted,
            sin_preguntar: followed.notAsked
          }
        })
      },
      words.join("\n")
    )
    if (asked === 0 && notAsked > 0) return yield* new CheckFailed()
  })
).pipe(
  Command.provide(operatorLayer),
  Command.validate(({ settledToo, ...options }) =>
    settledToo && options.file !== null
      ? new CliError.ValidationError({ message: "--liquidadas and --extracto exclude each other. Give only one." })
      : checkStatementFlags(options)
  ),
  Command.withDescription(
    "Query the providers now about all unresolved sales and reversals, and settle those with a firm answer. The servers do the same on a schedule. Any number of servers and of these commands may run at the same time. No sale is ever sent twice. With --liquidadas the command also asks again about settled sales that are due. A contradiction is logged and raises an alert; it moves no money. Exit code 1 if there are unresolved sales but no provider could be queried. With --extracto the command instead compares a provider's own statement with the sales, by xid and then by the provider's id. Each difference becomes a case, which \"saldo case\" shows; no money moves. Without --desde and --hasta it compares from the first to the last date in the file. Exit code 1 if there are differences."
  ),
  Command.withShortDescription("Query the providers now about all unresolved sales"),
  Command.withExamples([
    { command: "saldo reconcile --json", description: "Run one cycle in a script" },
    { command: "saldo reconcile --liquidadas", description: "Also ask again about settled sales" },
    {
      command: "saldo reconcile --extracto november.csv --proveedor dtone --desde 2026-11-01 --hasta 2026-11-30",
      description: "Compare a month with DT One's transactions report"
    }
  ])
)
