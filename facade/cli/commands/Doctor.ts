import { NodeCrypto } from "@effect/platform-node"
import { Clock, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import * as DataKeyPostgres from "../../../adapters/postgres/DataKeyPostgres.ts"
import { pending } from "../../../adapters/postgres/Migrations.ts"
import { foundation } from "../../App.ts"
import { Settings } from "../../Settings.ts"
import { connections, Store } from "../../Store.ts"
import { CheckFailed, type Document, print } from "../Output.ts"

/** How far this machine's clock may be from the database's. Limits and recovery go by the former. */
const skew_max_ms = 2000

interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

const durable = ["fsync", "full_page_writes", "synchronous_commit"]

const server = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { place } = yield* Store
  const [row] = yield* sql<{ version: string }>`select current_setting('server_version') as version`
  return { name: "database", ok: true, detail: `Postgres ${row?.version} answers: ${place}` }
})

const durability = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in ${sql.in(durable)} order by name`
  const said = rows.map(({ name, setting }) => `${name} = ${setting}`).join(", ")
  const ok = rows.every(({ setting }) => setting !== "off")
  return { name: "durability", ok, detail: ok ? said : `a crash can lose money: ${said}; set all of them to on` }
})

const schema = Effect.gen(function* () {
  const missing = yield* pending
  const detail = missing.length === 0 ? "up to date" : `"saldo migrate" would apply ${missing.join(", ")}`
  return { name: "migrations", ok: missing.length === 0, detail }
})

const clock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const before = yield* Clock.currentTimeMillis
  const [row] = yield* sql<{ ms: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`
  const after = yield* Clock.currentTimeMillis
  const skew_ms = Math.round(Math.abs((row?.ms ?? 0) - (before + after) / 2))
  const ok = skew_ms <= skew_max_ms
  return {
    name: "clock",
    ok,
    detail: `${skew_ms} ms from the database's${ok ? "" : ": set both by the same time service"}`
  }
})

// In a database of our own the key is as safe as the rest of DATA_DIR; a server of others is looked after by others.
const personalData = Effect.gen(function* () {
  const { dataKey, databaseUrl } = yield* Settings
  const name = "personal data"
  return yield* Effect.match(DataKeyPostgres.inspect(dataKey), {
    onFailure: ({ message }): Check => ({ name, ok: false, detail: message }),
    onSuccess: (kept): Check =>
      kept === "protected"
        ? { name, ok: true, detail: "encrypted, and only DATA_KEY opens it" }
        : {
            name,
            ok: true,
            detail: "encrypted by a key that stands in the same database; DATA_KEY would keep the two apart"
          }
  })
}).pipe(Effect.provide(NodeCrypto.layerKeyWrap))

const settings: Check = { name: "settings", ok: true, detail: "every variable of the environment can be used" }

/** Each layer that cannot be built is a failed check of its own, and what stands on it is not looked at. */
const examine: Effect.Effect<ReadonlyArray<Check>> = Effect.all([server, durability, schema, clock, personalData]).pipe(
  Effect.provide(Layer.provideMerge(connections(1), Store.layer)),
  Effect.catch((error) => Effect.succeed([{ name: "database", ok: false, detail: error.message }])),
  Effect.map((checks) => [settings, ...checks]),
  Effect.provide(foundation),
  Effect.catch((error) => Effect.succeed([{ name: "settings", ok: false, detail: error.message }]))
)

const checkDocument = ({ detail, name, ok }: Check): Document => ({ nombre: name, ok, detalle: detail })

const checkWords = ({ detail, name, ok }: Check): string => `${ok ? "ok    " : "WRONG "}  ${name.padEnd(13)}  ${detail}`

export const doctor = Command.make("doctor", {}, () =>
  Effect.gen(function* () {
    const checks = yield* examine
    const ok = checks.every((check) => check.ok)
    yield* print({ ok, comprobaciones: checks.map(checkDocument) }, checks.map(checkWords).join("\n"))
    if (!ok) return yield* new CheckFailed()
  })
).pipe(
  Command.withDescription(
    "Look at what the service stands on: its settings, the database and how safely it keeps what it is given, the schema, the clocks, by which key personal data is kept. Exit code 1 if something is wrong. Changes nothing."
  ),
  Command.withShortDescription("Look for what is wrong with the installation"),
  Command.withExamples([{ command: "saldo doctor --json", description: "Before a deployment, or for a monitor" }])
)
