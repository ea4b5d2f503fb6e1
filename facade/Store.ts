import { Context, Effect, Layer, Redacted } from "effect"
import { EmbeddedPostgres } from "../adapters/embedded/EmbeddedPostgres.ts"
import * as Database from "../adapters/postgres/Database.ts"
import { migrate } from "../adapters/postgres/Migrations.ts"
import { Settings } from "./Settings.ts"

/** Which Postgres holds the data. */
export class Store extends Context.Service<
  Store,
  {
    readonly url: Redacted.Redacted
    /** In words, without secrets. */
    readonly place: string
  }
>()("saldo/facade/Store") {
  /** The server of DATABASE_URL, or else the embedded one. */
  static readonly layer = Layer.unwrap(
    Settings.useSync(({ dataDirectory, databaseUrl }) =>
      databaseUrl === null
        ? embedded(dataDirectory)
        : Layer.succeed(Store, { url: databaseUrl, place: serverOf(databaseUrl) })
    )
  )
}

const embedded = (dataDirectory: string) =>
  Layer.effect(
    Store,
    EmbeddedPostgres.useSync(({ directory, url }) => Store.of({ url, place: `${directory} (embedded Postgres)` }))
  ).pipe(Layer.provide(EmbeddedPostgres.layer({ dataDirectory })))

const serverOf = (url: Redacted.Redacted): string => {
  const { host, pathname } = new URL(Redacted.value(url))
  return `the database ${pathname.slice(1)} at ${host}`
}

/** Connections to the store as it is. */
export const connections = (connections_max: number, parameters?: Database.DatabaseOptions["parameters"]) =>
  Layer.unwrap(Store.useSync(({ url }) => Database.layer({ url, connections_max, parameters })))

/** Connections to the store, with its schema brought up to this version. */
export const migrated = (connections_max: number) =>
  Layer.tap(connections(connections_max), (context) => Effect.provide(migrate, context))
