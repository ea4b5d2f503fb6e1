import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { baseLayer } from "../../AppLayer.ts"
import { connections, DatabaseServer } from "../../settings/DatabaseServer.ts"
import { accessChecks } from "../checks/AccessChecks.ts"
import { type Check, failed, passed } from "../checks/Check.ts"
import { databaseChecks } from "../checks/DatabaseChecks.ts"
import { certificateCheckOnly, exposureChecks, reachabilityChecks } from "../checks/NetworkChecks.ts"
import { CheckFailed, type Document, print } from "../terminal/Output.ts"

const settings = passed("settings", "every variable of the environment can be used")

const database = Effect.all([databaseChecks, accessChecks]).pipe(
  Effect.map((checks) => checks.flat()),
  Effect.provide(Layer.provideMerge(connections(1), DatabaseServer.layer)),
  Effect.catch((error) => Effect.succeed([failed("database", error.message)]))
)

/** Runs all checks. A layer that cannot be built becomes one failed check, in place of the checks that need it. */
const examine: Effect.Effect<ReadonlyArray<Check>> = Effect.all([database, exposureChecks, reachabilityChecks]).pipe(
  Effect.map((checks) => [settings, ...checks.flat()]),
  Effect.provide(baseLayer),
  Effect.catch((error) => Effect.map(certificateCheckOnly, (checks) => [failed("settings", error.message), ...checks]))
)

const checkDocument = ({ detail, name, ok }: Check): Document => ({ nombre: name, ok, detalle: detail })

const formatCheck = ({ detail, name, ok }: Check): string =>
  `${ok ? "ok    " : "WRONG "}  ${name.padEnd(13)}  ${detail}`

export const doctor = Command.make("doctor", {}, () =>
  Effect.gen(function* () {
    const checks = yield* examine
    const ok = checks.every((check) => check.ok)
    yield* print({ ok, comprobaciones: checks.map(checkDocument) }, checks.map(formatCheck).join("\n"))
    if (!ok) return yield* new CheckFailed()
  })
).pipe(
  Command.withDescription(
    "Look at what the service stands on: its settings, the database and how safely it keeps what it is given, the schema, the clocks, the room that dead rows take, how long it is waited for when it falls silent, by which keys personal data and the secrets of tokens are kept, what the database's login may do and whether its reads are held to one company, who can reach the service, its certificate, whether another program has the port of its metrics, whether Redis answers, and whether its providers and its collector of traces can be reached, to which nothing is sent. Exit code 1 if something is wrong. Changes nothing."
  ),
  Command.withShortDescription("Look for what is wrong with the installation"),
  Command.withExamples([{ command: "saldo doctor --json", description: "Before a deployment, or for a monitor" }])
)
