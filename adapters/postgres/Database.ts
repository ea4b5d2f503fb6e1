import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** No session with the database can be had. The message says what is wrong and what to do, in one line. */
class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  message: Schema.String
}) {}

export interface DatabaseOptions {
  readonly url: Redacted.Redacted
  /** How many connections are kept open. */
  readonly connections_max: number
}

/**
 * The connections to Postgres, all of them opened at once: the pool would grow only when every one is full.
 *
 * Statements of different requests share connections; a transaction and a listener have one for themselves.
 */
export const layer = ({ connections_max, url }: DatabaseOptions) =>
  PgClient.layerFrom(
    PgClient.make({
      url,
      applicationName: "saldo",
      minConnections: connections_max,
      maxConnections: connections_max,
      multiplex: true,
      connectTimeout: "4 seconds",
      keepAlive: "30 seconds"
    }).pipe(
      Effect.tap((sql) => sql`select 1`),
      Effect.mapError((error) => new DatabaseUnavailable({ message: explain(error, url) }))
    )
  )

const explain = ({ reason }: SqlError, url: Redacted.Redacted): string => {
  const { host, hostname, pathname, username } = URL.parse(Redacted.value(url)) ?? noAddress
  const said = reason.cause instanceof Error ? reason.cause.message : String(reason.cause)
  if (hostname === "") return `DATABASE_URL is not the address of a database (${said}): it should be ${form}`
  const database = `the database at ${host}${pathname}`
  switch (reason._tag) {
    case "AuthenticationError":
      return `${database} refuses the user ${username} (${said}): check the user and password in DATABASE_URL`
    case "ConnectionError":
      return `${database} does not answer (${said}): check the address in DATABASE_URL and that the server runs`
    default:
      return `${database} cannot be used (${said}): check DATABASE_URL`
  }
}

const form = "postgres://user:password@host:5432/database"
const noAddress = { host: "", hostname: "", pathname: "", username: "" }
