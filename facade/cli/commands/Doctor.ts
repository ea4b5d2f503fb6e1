import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { baseLayer } from "../../AppLayer.ts"
import { connections, DatabaseServer } from "../../settings/DatabaseServer.ts"
import { accessChecks } from "../checks/AccessChecks.ts"
import { type Check, failed, passed } from "../checks/Check.ts"
import { databaseChecks } from "../checks/DatabaseChecks.ts"
import { certificateCheckOnly, exposureChecks, reachabilityChecks } from "../checks/NetworkChecks.ts"
import { CheckFailed, type Document, print } from "../terminal/Output.ts"

const settings = passed("settings", "all environment variables are valid")

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
    "Check the installation: the settings; the database, its durability, schema, clock, dead rows and connection timeout; the keys of personal data and token secrets; the rights of the database login and row-level security; the addresses of the service, its certificate and its operations port; Redis; and whether the providers and the trace collector accept connections. Sends nothing to them and changes nothing. Exit code 1 if a check fails."
  ),
  Command.withShortDescription("Check the installation"),
  Command.withExamples([{ command: "saldo doctor --json", description: "Before a deployment, or in a monitor" }])
)
