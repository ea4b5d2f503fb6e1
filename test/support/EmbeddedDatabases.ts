import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"

/** The address of another database on the same server. */
const onServer = (url: string, database: string): string => {
  const address = new URL(url)
  address.pathname = `/${database}`
  return address.href
}

/**
 * Makes a database that starts as a copy of another on the server of `url`, which nobody has open.
 *
 * @returns its address.
 */
export const copyDatabase = (url: string, template: string, name: string): Effect.Effect<string> =>
  PgClient.makeClient({ url: Redacted.make(onServer(url, "postgres")) }).pipe(
    Effect.flatMap((sql) => sql`create database ${sql(name)} template ${sql(template)}`.unprepared),
    Effect.as(onServer(url, name)),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.orDie
  )

const fileIn = (directory: string): string => join(directory, "data", "postmaster.pid")

const firstLine = (file: string): number => Number(readFileSync(file, "utf8").split("\n")[0])

/** The process id of the Postgres that has its files in the directory, null when it has stopped in order. */
export const postgresPidIn = (directory: string): number | null => {
  const file = fileIn(directory)
  return existsSync(file) ? firstLine(file) : null
}

/** The same, for a data directory that Postgres's user can reach. */
export const postgresPidOf = (dataDirectory: string): number | null => postgresPidIn(join(dataDirectory, "postgres"))

/** The process that all others of the embedded Postgres descend from. */
export const postmasterPid = EmbeddedPostgres.useSync(({ directory }) => firstLine(fileIn(directory)))

/** An embedded Postgres as Saldo starts it, with its own settings; its data goes with it. */
export const temporaryPostgres = Layer.unwrap(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "saldo-tools-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ).pipe(Effect.map((dataDirectory) => EmbeddedPostgres.layer({ dataDirectory })))
)
