import { readFile } from "node:fs/promises"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Clock, Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { everyCellPlace } from "../../../adapters/postgres/connection/Cell.ts"
import { mainNode } from "../../../adapters/postgres/connection/Nodes.ts"
import { isWritable, tableExists } from "../../../adapters/postgres/connection/Sql.ts"
import * as DataKeyPostgres from "../../../adapters/postgres/directory/DataKeyPostgres.ts"
import { isAhead, pending } from "../../../adapters/postgres/schema/Migrations.ts"
import { faultOf, serverVersion } from "../../../adapters/postgres/schema/ServerVersion.ts"
import { connectionsOfCell, DatabaseServer } from "../../settings/DatabaseServer.ts"
import { Settings } from "../../settings/Settings.ts"
import { type Check, failed, isolated, passed, warned } from "./Check.ts"

/** The Linux setting for the number of retransmissions of an unacknowledged packet before the connection is closed. */
const retriesSetting = "net.ipv4.tcp_retries2"

/**
 * The advised number of retransmissions. They take about 25 s: long enough for a network to change its route, and short
 * enough for a waiting customer.
 */
const advisedRetries = 6

/** The pauses between retransmissions, in seconds. Each is twice the previous one, up to the longest. */
const retryPause = { first_s: 0.2, longest_s: 120 }

/** The time until an unacknowledged connection is closed, in seconds. */
const silenceTimeout_s = (retries: number): number => {
  const pauses = Array.from({ length: retries + 1 }, (_, n) =>
    Math.min(retryPause.first_s * 2 ** n, retryPause.longest_s)
  )
  return Math.round(pauses.reduce((sum, each) => sum + each, 0))
}

const localHost = /^(localhost|127\..*|\[::1\]|)$/

/**
 * Reports how long calls wait if the database's machine or network fails without closing the connection. A time above
 * the advised value is only a warning, because it matters only during such a failure.
 *
 * @param retries the system's setting. Null if the system does not report it.
 */
export const silenceCheck = (host: string, retries: number | null): Check => {
  const name = "silence"
  if (localHost.test(host)) return passed(name, "the database is on this machine, so its connections cannot go silent")
  if (retries === null)
    return passed(name, `this system does not report how long it keeps a silent connection to ${host}`)
  const said = `a silent connection to ${host} is closed after ${silenceTimeout_s(retries)} s`
  return retries <= advisedRetries
    ? passed(name, said)
    : warned(name, `${said}, and calls wait as long; set ${retriesSetting} = ${advisedRetries} to shorten this`)
}

const readRetries = Effect.tryPromise(() => readFile(`/proc/sys/${retriesSetting.replaceAll(".", "/")}`, "utf8")).pipe(
  Effect.map(Number),
  Effect.orElseSucceed(() => null)
)

/**
 * Runs `silenceCheck` for the configured database. Needs no connection, so it also reports while the database is
 * unreachable.
 */
const databaseSilence = Effect.gen(function* () {
  const { url } = yield* DatabaseServer
  return silenceCheck(new URL(Redacted.value(url)).hostname, yield* readRetries)
})

/** Maximum difference between this machine's clock and the database's. Limits and recovery use this machine's clock. */
const clockSkew_ms_max = 2000

/**
 * A table with more dead rows than this, and more dead than live rows, is not being vacuumed. Smaller numbers are
 * normal under load.
 */
const deadRows_max = 100_000

const durable = ["fsync", "full_page_writes", "synchronous_commit"]

// An encoding other than UTF8 makes the migration fail, because Postgres cannot compare texts in another encoding without
// regard to case.
const serverEncoding = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ encoding: string }>`select current_setting('server_encoding') as encoding`
  return row?.encoding
})

const server = Effect.gen(function* () {
  const { place } = yield* DatabaseServer
  const found = yield* serverVersion
  const fault = faultOf(found)
  if (fault !== null) return failed("database", `${place} answers, but ${fault}`)
  const encoding = yield* serverEncoding
  if (encoding !== "UTF8")
    return failed("database", `${place} has the encoding ${encoding}: create a database with the encoding UTF8`)
  if (!(yield* isWritable))
    return failed(
      "database",
      `${place} accepts no writes, so nothing can be sold: it is a standby, or default_transaction_read_only is on`
    )
  return passed("database", `Postgres ${found.version} answers: ${place}`)
})

const durability = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in ${sql.in(durable)} order by name`
  const said = rows.map(({ name, setting }) => `${name} = ${setting}`).join(", ")
  const ok = rows.every(({ setting }) => setting !== "off")
  return ok
    ? passed("durability", said)
    : failed("durability", `a crash can lose money: ${said}; set all of them to on`)
})

const schema = Effect.gen(function* () {
  if (yield* isAhead) return passed("migrations", "the schema has a later version, which this version can use")
  const missing = yield* pending
  return missing.length === 0
    ? passed("migrations", "up to date")
    : failed("migrations", `"saldo migrate" would apply ${missing.join(", ")}`)
}).pipe(Effect.catchTag("SchemaUnreleased", ({ message }) => Effect.succeed(failed("migrations", message))))

const clock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const before = yield* Clock.currentTimeMillis
  const [row] = yield* sql<{ ms: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`
  const after = yield* Clock.currentTimeMillis
  const skew_ms = Math.round(Math.abs((row?.ms ?? 0) - (before + after) / 2))
  const said = `${skew_ms} ms from the database's clock`
  return skew_ms <= clockSkew_ms_max
    ? passed("clock", said)
    : failed("clock", `${said}: synchronise both with the same time service`)
})

// Without DATA_KEY everything works, so its absence is only a warning.
const personalData = Effect.gen(function* () {
  const { dataKey } = yield* Settings
  const name = "personal data"
  return yield* Effect.match(DataKeyPostgres.inspect(dataKey), {
    onFailure: ({ message }): Check => failed(name, message),
    onSuccess: (kept) =>
      kept === "protected"
        ? passed(name, "encrypted under DATA_KEY")
        : warned(name, "encrypted, but the key is in the same database; DATA_KEY would protect the key")
  })
}).pipe(Effect.provide(NodeCrypto.layerKeyWrap))

interface TableRow {
  readonly name: string
  readonly live: number
  readonly dead: number
  readonly vacuumed_min: number | null
}

const isBloated = ({ dead, live }: TableRow): boolean => dead > deadRows_max && dead > live

const formatTableState = ({ dead, live, name, vacuumed_min }: TableRow): string => {
  const share = Math.round((100 * dead) / Math.max(1, dead + live))
  return `${name} ${share} % dead, ${vacuumed_min === null ? "never vacuumed" : `vacuumed ${vacuumed_min} min ago`}`
}

// Examines the tables that every sale changes.
const vacuum = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [setting] = yield* sql<{ autovacuum: string }>`select current_setting('autovacuum') as autovacuum`
  if (setting?.autovacuum !== "on")
    return failed("vacuum", "autovacuum is off, so dead rows are never removed: set it to on")
  const tables = yield* sql<TableRow>`
    select
      case schemaname when 'cell' then relname else schemaname || '.' || relname end as name,
      n_live_tup::float8 as live,
      n_dead_tup::float8 as dead,
      round(extract(epoch from clock_timestamp() - greatest(last_vacuum, last_autovacuum)) / 60)::float8 as vacuumed_min
    from pg_stat_user_tables as t
    where exists (select from pg_tables as f where f.schemaname = t.schemaname and f.tablename = 'schema_file')
      and relname in ('balance', 'consumption', 'transaction', 'idempotency', 'entry', 'block')
      -- The tables of cells on workers of a Citus cluster have no rows here.
      and strpos(schemaname, '$') = 0
    order by schemaname <> 'cell', schemaname, relname`
  const bloated = tables.filter(isBloated)
  return bloated.length === 0
    ? passed("vacuum", tables.map(formatTableState).join("; "))
    : failed(
        "vacuum",
        `${bloated.map(formatTableState).join("; ")}: look for old transactions in pg_stat_activity, then vacuum these tables`
      )
})

/** Connections that a server needs in addition to those of its processes: one for an audit, and four for a command. */
const otherConnections = 5

/**
 * Compares the connections that a server may open with those that Postgres accepts. Each process has its pool and one
 * connection for monitoring. If there are several cells, each process also has connections for each cell.
 *
 * @param cells the number of cells in this database that have their own connections.
 */
export const connectionsCheck = (
  { connections_max, processes }: { readonly connections_max: number; readonly processes: number },
  accepted: number,
  cells = 0
): Check => {
  const name = "connections"
  const needed = processes * (connections_max + 1 + cells * connectionsOfCell(connections_max)) + otherConnections
  const said = `a server may open ${needed} connections, and Postgres accepts ${accepted}`
  return needed <= accepted
    ? passed(name, said)
    : failed(name, `${said}: lower PG_POOL_MAX or PROCESSES, or raise max_connections`)
}

const connections = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ accepted: number }>`
    select
      current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int
        - current_setting('reserved_connections')::int as accepted`
  const hasCells = yield* tableExists(sql, "directory.cell")
  const cells = hasCells ? yield* yield* everyCellPlace : []
  const onMain = cells.length > 1 ? cells.filter(({ node }) => node === mainNode).length : 0
  return connectionsCheck(yield* Settings, row?.accepted ?? 0, onMain)
})

/** Checks of the database through one connection. */
export const databaseChecks = Effect.all([
  isolated("database", server),
  isolated("durability", durability),
  isolated("connections", connections),
  isolated("migrations", schema),
  isolated("clock", clock),
  isolated("personal data", personalData),
  isolated("vacuum", vacuum)
])

/** Checks of the database server that need no connection. */
export const unconnectedChecks = Effect.all([isolated("silence", databaseSilence)])
