import { Context, Effect, Layer, Redacted } from "effect"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"
import { readerLayer } from "../../adapters/postgres/connection/CompanyReads.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { bestEffortConnection } from "../../adapters/postgres/grouping/BestEffortWrites.ts"
import { migrate, requireOperatorRole } from "../../adapters/postgres/schema/Migrations.ts"
import { Settings } from "./Settings.ts"

/** The database role in which a process works. */
export type DatabaseRole = "saldo_server" | "saldo_operator"

/** The Postgres server with the data. */
export class DatabaseServer extends Context.Service<
  DatabaseServer,
  {
    readonly url: Redacted.Redacted
    /** The address with the login that changes the schema. Null if `url` has that login. */
    readonly migrationUrl: Redacted.Redacted | null
    /**
     * Whether the server is the embedded one. Its login has all rights, so sessions switch to a role with fewer rights.
     */
    readonly ours: boolean
    /** Description of the server, without secrets. */
    readonly place: string
  }
>()("saldo/facade/Store") {
  /** The server of DATABASE_URL or, without DATABASE_URL, the embedded server. */
  static readonly layer = Layer.unwrap(
    Settings.useSync(({ dataDirectory, databaseUrl, migrationUrl }) =>
      databaseUrl === null
        ? embeddedServer(dataDirectory)
        : Layer.succeed(DatabaseServer, {
            url: databaseUrl,
            migrationUrl,
            ours: false,
            place: describeServer(databaseUrl)
          })
    )
  )
}

const embeddedServer = (dataDirectory: string) =>
  Layer.effect(
    DatabaseServer,
    EmbeddedPostgres.useSync(({ directory, url }) =>
      DatabaseServer.of({ url, migrationUrl: null, ours: true, place: `${directory} (embedded Postgres)` })
    )
  ).pipe(Layer.provide(EmbeddedPostgres.layer({ dataDirectory })))

const describeServer = (url: Redacted.Redacted): string => {
  const { host, pathname } = new URL(Redacted.value(url))
  return `the database ${pathname.slice(1)} at ${host}`
}

/** Connections to the database, without a migration. */
export const connections = (connections_max: number, parameters?: Database.DatabaseOptions["parameters"]) =>
  Layer.unwrap(DatabaseServer.useSync(({ url }) => Database.layer({ url, connections_max, parameters })))

/** One connection with the login that may change the schema. */
export const ownerConnection = Layer.unwrap(
  DatabaseServer.useSync(({ migrationUrl, url }) =>
    migrationUrl === null
      ? Database.layer({ url, connections_max: 1 })
      : Database.layer({ url: migrationUrl, connections_max: 1, variable: "MIGRATION_DATABASE_URL" })
  )
)

/** Of every four connections, one is reserved for reads of one company's data. */
const readingShare = 4

/**
 * A connection is reserved for best-effort writes only if more than this many others remain: two listen to
 * notifications, one makes sales.
 */
const otherConnections_min = 3

// Migrates with the owner's login, so that the other login then finds the schema up to date. If the schema is then not
// up to date, the two addresses lead to different databases.
const migrationAsOwner = Layer.effectDiscard(Effect.provide(migrate, Layer.fresh(ownerConnection)))

/**
 * The given number of connections in total, after migrating the schema to this version. The embedded server has a
 * single login with all rights, so its sessions switch to the role.
 */
export const migratedConnections = (connections_max: number, role: DatabaseRole) =>
  Layer.unwrap(
    DatabaseServer.useSync(({ migrationUrl, ours, url }) => {
      const readers = Math.max(1, Math.floor(connections_max / readingShare))
      const noters = connections_max - readers > otherConnections_min ? 1 : 0
      const parameters = ours ? { role } : undefined
      const others = Layer.tap(
        Database.layer({ url, connections_max: connections_max - readers - noters, parameters }),
        (context) =>
          Effect.provide(role === "saldo_operator" ? Effect.andThen(migrate, requireOperatorRole) : migrate, context)
      )
      const beside = noters === 0 ? Layer.empty : bestEffortConnection({ url, parameters })
      const connected = Layer.provideMerge(Layer.merge(readerLayer({ url, connections_max: readers }), beside), others)
      return ours || migrationUrl !== null ? Layer.provide(connected, migrationAsOwner) : connected
    })
  )
