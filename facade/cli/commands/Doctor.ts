import { Effect } from "effect"
import { Command } from "effect/cli"
import { baseLayer } from "../../AppLayer.ts"
import { connections, DatabaseServer } from "../../settings/DatabaseServer.ts"
import { accessChecks } from "../checks/AccessChecks.ts"
import { cellChecks } from "../checks/CellChecks.ts"
import { type Check, failed, type Level, passed } from "../checks/Check.ts"
import { companyChecks } from "../checks/CompanyChecks.ts"
import { databaseChecks, unconnectedChecks } from "../checks/DatabaseChecks.ts"
import { floatChecks } from "../checks/FloatChecks.ts"
import { certificateCheckOnly, exposureChecks, reachabilityChecks } from "../checks/NetworkChecks.ts"
import { webhookChecks } from "../checks/WebhookChecks.ts"
import { CheckFailed, type Document, print } from "../terminal/Output.ts"

const settings = passed("settings", "all environment variables are valid")

const unavailable = ({ message }: { readonly message: string }) => Effect.succeed([failed("database", message)])

const connected = Effect.all([
  databaseChecks,
  cellChecks,
  accessChecks,
  companyChecks,
  floatChecks,
  webhookChecks
]).pipe(
  Effect.map((checks) => checks.flat()),
  Effect.provide(connections(1)),
  Effect.catch(unavailable)
)

const database = Effect.all([connected, unconnectedChecks]).pipe(
  Effect.map((checks) => checks.flat()),
  Effect.provide(DatabaseServer.layer),
  Effect.catch(unavailable)
)

/** Runs all checks. A layer that cannot be built becomes one failed check, in place of the checks that need it. */
const examine: Effect.Effect<ReadonlyArray<Check>> = Effect.all([database, exposureChecks, reachabilityChecks]).pipe(
  Effect.map((checks) => [settings, ...checks.flat()]),
  Effect.provide(baseLayer),
  Effect.catch((error) => Effect.map(certificateCheckOnly, (checks) => [failed("settings", error.message), ...checks]))
)

const levels: ReadonlyArray<Level> = ["ok", "warn", "wrong"]

/** The most urgent level of the checks. */
const worstOf = (checks: ReadonlyArray<Check>): Level =>
  levels.findLast((level) => checks.some((check) => check.level === level)) ?? "ok"

const checkDocument = ({ detail, level, name }: Check): Document => ({
  nombre: name,
  ok: level !== "wrong",
  nivel: level,
  detalle: detail
})

const labels: Readonly<Record<Level, string>> = { ok: "ok", warn: "warn", wrong: "WRONG" }

const formatCheck = ({ detail, level, name }: Check): string =>
  `${labels[level].padEnd(6)}  ${name.padEnd(13)}  ${detail}`

export const doctor = Command.make("doctor", {}, () =>
  Effect.gen(function* () {
    const checks = yield* examine
    const level = worstOf(checks)
    const ok = level !== "wrong"
    yield* print({ ok, nivel: level, comprobaciones: checks.map(checkDocument) }, checks.map(formatCheck).join("\n"))
    if (!ok) return yield* new CheckFailed()
  })
).pipe(
  Command.withDescription(
    "Check the installation. Checks the settings. Checks the database: durability, number of connections, schema, clock, dead rows, connection timeout, rights of the login, row-level security. Checks the keys of personal data and token secrets. Names closed cells, moves that have not ended, and what moves have left on servers that were lost. Checks addresses, certificate, operations port and Redis. Checks that active companies in production have a provider and, for insurance, an insurer and an SMS gateway. Checks the last known balance at the provider. Checks for disabled webhooks and late deliveries. Checks that provider, insurer, SMS gateway and trace collector accept connections. Sends no requests to them and changes nothing. Each result is ok, warn (works, but a change is advised) or wrong. Exit code 1 if a result is wrong; 0 if none is, even with warnings."
  ),
  Command.withShortDescription("Check the installation"),
  Command.withExamples([{ command: "saldo doctor --json", description: "Before a deployment, or in a monitor" }])
)
