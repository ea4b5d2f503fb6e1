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
  /** What Postgres itself is told of each of them, such as how long a statement may take. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
  /** The variable that says the address. */
  readonly variable?: string | undefined
}

/**
 * The connections to Postgres, all of them opened at once: the pool would grow only when every one is full.
 *
 * Statements of different requests share connections; a transaction and a listener have one for themselves. The pool
 * fills one before it turns to the next. Without sharing it does not come back: once Postgres has been away, whoever
 * waits for a connection waits for ever.
 */
export const layer = ({ connections_max, parameters, url, variable = "DATABASE_URL" }: DatabaseOptions) =>
  PgClient.layerFrom(
    PgClient.make({
      url,
      ...placeOf(url),
      applicationName: "saldo",
      startupParameters: parameters,
      minConnections: connections_max,
      maxConnections: connections_max,
      multiplex: true,
      connectTimeout: "4 seconds",
      keepAlive: "30 seconds"
    }).pipe(
      Effect.tap((sql) => sql`select 1`),
      Effect.mapError((error) => new DatabaseUnavailable({ message: explain(error, url, variable) }))
    )
  )

/**
 * Spans tell where a statement went by what stands apart from the address; an address may also say it in other ways.
 */
const placeOf = (url: Redacted.Redacted) => {
  const address = URL.parse(Redacted.value(url))
  if (address === null || address.hostname === "" || address.searchParams.size > 0) return {}
  const { hostname, pathname, port } = address
  if (/[%[]/.test(hostname + pathname)) return {}
  return {
    host: hostname,
    ...(port !== "" && { port: Number(port) }),
    ...(pathname.length > 1 && { database: pathname.slice(1) })
  }
}

const explain = ({ reason }: SqlError, url: Redacted.Redacted, variable: string): string => {
  const { host, hostname, pathname, username } = URL.parse(Redacted.value(url)) ?? noAddress
  const said = reason.cause instanceof Error ? reason.cause.message : String(reason.cause)
  if (hostname === "") return `${variable} is not the address of a database (${said}): it should be ${form}`
  const database = `the database at ${host}${pathname}`
  switch (reason._tag) {
    case "AuthenticationError":
      return `${database} refuses the user ${username} (${said}): check the user and password in ${variable}`
    case "ConnectionError":
      return `${database} does not answer (${said}): check the address in ${variable} and that the server runs`
    default:
      return `${database} cannot be used (${said}): check ${variable}`
  }
}

const form = "postgres://user:password@host:5432/database"
const noAddress = { host: "", hostname: "", pathname: "", username: "" }
