import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as DataKeyPostgres from "../../../adapters/postgres/DataKeyPostgres.ts"
import { pending } from "../../../adapters/postgres/Migrations.ts"
import { isAhead } from "../../../adapters/postgres/SchemaVersion.ts"
import { faultOf, serverVersion } from "../../../adapters/postgres/ServerVersion.ts"
import { isWritable } from "../../../adapters/postgres/Writable.ts"
import { Settings } from "../../settings/Settings.ts"
import { Store } from "../../settings/Store.ts"
import { byItself, type Check, fine, wrong } from "./Check.ts"
import { silence } from "./SilenceCheck.ts"

/** How far this machine's clock may be from the database's. Limits and recovery go by the former. */
const skew_max_ms = 2000

/** So many dead rows, and more of them than live ones: nobody cleans up. Fewer come and go with every busy minute. */
const dead_max = 100_000

const durable = ["fsync", "full_page_writes", "synchronous_commit"]

const server = Effect.gen(function* () {
  const { place } = yield* Store
  const found = yield* serverVersion
  const fault = faultOf(found)
  if (fault !== null) return wrong("database", `${place} answers, but ${fault}`)
  if (!(yield* isWritable))
    return wrong(
      "database",
      `${place} takes no writes: it is a standby, or default_transaction_read_only is on; nothing can be sold`
    )
  return fine("database", `Postgres ${found.version} answers: ${place}`)
})

const durability = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in ${sql.in(durable)} order by name`
  const said = rows.map(({ name, setting }) => `${name} = ${setting}`).join(", ")
  const ok = rows.every(({ setting }) => setting !== "off")
  return ok ? fine("durability", said) : wrong("durability", `a crash can lose money: ${said}; set all of them to on`)
})

const schema = Effect.gen(function* () {
  if (yield* isAhead) return fine("migrations", "of a later version than this one, which uses it as it is")
  const missing = yield* pending
  return missing.length === 0
    ? fine("migrations", "up to date")
    : wrong("migrations", `"saldo migrate" would apply ${missing.join(", ")}`)
})

const clock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const before = yield* Clock.currentTimeMillis
  const [row] = yield* sql<{ ms: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`
  const after = yield* Clock.currentTimeMillis
  const skew_ms = Math.round(Math.abs((row?.ms ?? 0) - (before + after) / 2))
  const said = `${skew_ms} ms from the database's`
  return skew_ms <= skew_max_ms ? fine("clock", said) : wrong("clock", `${said}: set both by the same time service`)
})

// Without DATA_KEY everything works, so that is advice and nothing wrong.
const personalData = Effect.gen(function* () {
  const { dataKey } = yield* Settings
  const name = "personal data"
  return yield* Effect.match(DataKeyPostgres.inspect(dataKey), {
    onFailure: ({ message }): Check => wrong(name, message),
    onSuccess: (kept) =>
      fine(
        name,
        kept === "protected"
          ? "encrypted, and only DATA_KEY opens it"
          : "encrypted by a key that stands in the same database; DATA_KEY would keep the two apart"
      )
  })
}).pipe(Effect.provide(NodeCrypto.layerKeyWrap))

interface TableRow {
  readonly name: string
  readonly live: number
  readonly dead: number
  readonly vacuumed_min: number | null
}

const isBloated = ({ dead, live }: TableRow): boolean => dead > dead_max && dead > live

const tableWords = ({ dead, live, name, vacuumed_min }: TableRow): string => {
  const share = Math.round((100 * dead) / Math.max(1, dead + live))
  return `${name} ${share} % dead, ${vacuumed_min === null ? "never vacuumed" : `vacuumed ${vacuumed_min} min ago`}`
}

// The tables that every sale changes.
const vacuum = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [setting] = yield* sql<{ autovacuum: string }>`select current_setting('autovacuum') as autovacuum`
  if (setting?.autovacuum !== "on") return wrong("vacuum", "autovacuum is off: dead rows stay for ever; set it to on")
  const tables = yield* sql<TableRow>`
    select
      relname as name,
      n_live_tup::float8 as live,
      n_dead_tup::float8 as dead,
      round(extract(epoch from clock_timestamp() - greatest(last_vacuum, last_autovacuum)) / 60)::float8 as vacuumed_min
    from pg_stat_user_tables
    where schemaname = 'cell' and relname in ('balance', 'consumption', 'transaction', 'idempotency', 'entry', 'block')
    order by relname`
  const bloated = tables.filter(isBloated)
  return bloated.length === 0
    ? fine("vacuum", tables.map(tableWords).join("; "))
    : wrong(
        "vacuum",
        `${bloated.map(tableWords).join("; ")}: look for old transactions in pg_stat_activity, then vacuum them`
      )
})

/** What the database is like, as far as one connection shows. */
export const databaseChecks = Effect.all([
  byItself("database", server),
  byItself("durability", durability),
  byItself("migrations", schema),
  byItself("clock", clock),
  byItself("personal data", personalData),
  byItself("vacuum", vacuum),
  byItself("silence", silence)
])
