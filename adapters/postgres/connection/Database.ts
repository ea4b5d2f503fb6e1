import type { Socket } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Layer, Redacted, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { codeOf } from "../../../core/domain/ErrorCatalogue.ts"

/** The database cannot be reached. The message states the problem and the remedy in one line. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  message: Schema.String,
  /** Whether a server answers and refuses the connection, for example because of the login. */
  answers: Schema.Boolean,
  /** Whether the server accepts no more connections. */
  isFull: Schema.optionalKey(Schema.Boolean)
}) {}

/** Number of connections of the pool. PG_POOL_MAX counts the connections of all pools of a process. */
export const PoolSize = Context.Reference<number>("saldo/adapters/PoolSize", { defaultValue: () => 0 })

/** Opens a pool of connections. Tests replace it with a function that reuses the pool that an earlier command opened. */
export const OpenPool = Context.Reference<typeof PgClient.make>("saldo/adapters/OpenPool", {
  defaultValue: () => PgClient.make
})

export interface DatabaseOptions {
  readonly url: Redacted.Redacted
  /** Number of connections to keep open. */
  readonly connections_max: number
  /** Postgres settings of each connection, for example a statement timeout. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
  /**
   * Whether the first statement opens the connection. The start then does not check that the database answers. Only for a
   * single connection: in a pool that grows while transactions reserve connections, a caller may wait forever.
   */
  readonly isLazy?: boolean | undefined
  /** Timeout of an attempt to connect. */
  readonly connect_max?: Duration.Input | undefined
  /** Name of the environment variable with the address, for error messages. */
  readonly variable?: string | undefined
  /** Opens the sockets of the connections, in place of the driver. */
  readonly socket?: (() => Socket) | undefined
}

/** Idle time after which the system asks whether the other end of a connection still exists. */
export const keepAlive = Duration.seconds(30)

/**
 * The connection pool. Statements of different requests share a connection. A transaction or a listener has its own.
 *
 * The pool fills one connection with statements before it uses the next. It opens all connections at the start,
 * because it would otherwise grow only when every connection is full. The sharing of connections must stay on:
 * without it, callers that wait for a connection would wait forever after an outage of Postgres.
 */
export const layer = ({
  connect_max = "4 seconds",
  connections_max,
  isLazy = false,
  parameters,
  socket,
  url,
  variable = "DATABASE_URL"
}: DatabaseOptions) =>
  Layer.merge(
    Layer.succeed(PoolSize, connections_max),
    PgClient.layerFrom(
      OpenPool.pipe(
        Effect.flatMap((open) =>
          open({
            url,
            ...placeOf(url),
            applicationName: "saldo",
            startupParameters: parameters,
            minConnections: isLazy ? 0 : connections_max,
            maxConnections: connections_max,
            multiplex: true,
            connectTimeout: connect_max,
            keepAlive,
            stream: socket
          })
        ),
        Effect.tap((sql) => (isLazy ? Effect.void : Effect.asVoid(sql`select 1`))),
        Effect.mapError((error) => {
          const answers = error.reason._tag !== "ConnectionError"
          const isFull = codeOf(error.reason.cause) === "53300"
          return new DatabaseUnavailable({ message: explain(error, url, variable), answers, isFull })
        })
      )
    )
  )

/** Host, port and database name for traces. The driver reads them only from separate options, not from the address. */
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
