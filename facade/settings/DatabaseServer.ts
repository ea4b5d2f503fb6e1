import { Context, Effect, Layer, Redacted } from "effect"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"
import { readerLayer } from "../../adapters/postgres/connection/CompanyReads.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { bestEffortConnection } from "../../adapters/postgres/grouping/BestEffortWrites.ts"
import { migrate } from "../../adapters/postgres/schema/Migrations.ts"
import { Settings } from "./Settings.ts"

/** In whose rights a process works. */
export type DatabaseRole = "saldo_server" | "saldo_operator"

/** Which Postgres holds the data. */
export class DatabaseServer extends Context.Service<
  DatabaseServer,
  {
    readonly url: Redacted.Redacted
    /** By whose login its schema is changed; null for the same. */
    readonly migrationUrl: Redacted.Redacted | null
    /** Whether the login may do everything, because it is ours, so that sessions give up what they do not need. */
    readonly ours: boolean
    /** In words, without secrets. */
    readonly place: string
  }
>()("saldo/facade/Store") {
  /** The server of DATABASE_URL, or else the embedded one. */
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

/** Connections to the store as it is. */
export const connections = (connections_max: number, parameters?: Database.DatabaseOptions["parameters"]) =>
  Layer.unwrap(DatabaseServer.useSync(({ url }) => Database.layer({ url, connections_max, parameters })))

/** One connection to the store, by the login that may change its schema. */
export const ownerConnection = Layer.unwrap(
  DatabaseServer.useSync(({ migrationUrl, url }) =>
    migrationUrl === null
      ? Database.layer({ url, connections_max: 1 })
      : Database.layer({ url: migrationUrl, connections_max: 1, variable: "MIGRATION_DATABASE_URL" })
  )
)

/** Of so many connections one is for reading what belongs to one company. */
const readingShare = 4

/** Two listen for announcements and one sells, before one is kept for notes. */
const otherConnections_min = 3

// What one login has brought up to date must be up to date for the other, or they lead to different databases.
const migrationAsOwner = Layer.effectDiscard(Effect.provide(migrate, Layer.fresh(ownerConnection)))

/**
 * Connections to the store, with its schema brought up to this version, so many in all. The embedded store has one
 * login, which may do everything: there each of them works in the role.
 */
export const migratedConnections = (connections_max: number, role: DatabaseRole) =>
  Layer.unwrap(
    DatabaseServer.useSync(({ migrationUrl, ours, url }) => {
      const readers = Math.max(1, Math.floor(connections_max / readingShare))
      const noters = connections_max - readers > otherConnections_min ? 1 : 0
      const parameters = ours ? { role } : undefined
      const others = Layer.tap(
        Database.layer({ url, connections_max: connections_max - readers - noters, parameters }),
        (context) => Effect.provide(migrate, context)
      )
      const beside = noters === 0 ? Layer.empty : bestEffortConnection({ url, parameters })
      const connected = Layer.provideMerge(Layer.merge(readerLayer({ url, connections_max: readers }), beside), others)
      return ours || migrationUrl !== null ? Layer.provide(connected, migrationAsOwner) : connected
    })
  )
