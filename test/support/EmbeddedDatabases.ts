import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { textIn } from "../../adapters/embedded/EmbeddedFiles.ts"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"

/** URL of another database on the same server. */
export const onServer = (url: string, database: string): string => {
  const address = new URL(url)
  address.pathname = `/${database}`
  return address.href
}

/** Runs one statement on its own connection. */
export const runStatement = (url: string, statement: string) =>
  PgClient.makeClient({ url: Redacted.make(url) }).pipe(
    Effect.flatMap((sql) => sql.unsafe(statement).unprepared),
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )

/**
 * Creates a database on the server of `url`, as a copy of a template. The template must have no open connections. Copying
 * the files takes half as long as Postgres's default method, which writes every page to the write-ahead log.
 *
 * @returns the URL of the copy.
 */
export const copyDatabase = (url: string, template: string, name: string): Effect.Effect<string> =>
  runStatement(onServer(url, "postgres"), `create database "${name}" template "${template}" strategy file_copy`).pipe(
    Effect.as(onServer(url, name)),
    Effect.orDie
  )

/**
 * Copies a template and prepares the copy, as a new template. Does nothing if another test file has already made it in this
 * test run. Test files that need it meanwhile wait until it is complete.
 */
export const copyOnce = (
  url: string,
  template: string,
  name: string,
  prepare: (url: string) => Effect.Effect<void>
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.makeClient({ url: Redacted.make(onServer(url, "postgres")) })
    yield* sql`select pg_advisory_lock(hashtext(${name}))`
    if ((yield* sql`select from pg_database where datname = ${name}`).length > 0) return
    const unfinished = `${name}_unfinished`
    yield* prepare(yield* copyDatabase(url, template, unfinished))
    yield* sql`alter database ${sql(unfinished)} rename to ${sql(name)}`
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.orDie)

/** Process id of the Postgres with this data directory; null if that Postgres was shut down cleanly. */
export const postgresPidIn = (directory: string): number | null => {
  const text = textIn(join(directory, "data", "postmaster.pid"))
  return text === null ? null : Number(text.split("\n")[0])
}

/** Process id of the Postgres in Saldo's data directory. */
export const postgresPidOf = (dataDirectory: string): number | null => postgresPidIn(join(dataDirectory, "postgres"))

/** Process id of the postmaster of the embedded Postgres. */
export const postmasterPid = EmbeddedPostgres.use(({ directory }) =>
  Effect.orDie(Effect.fromNullishOr(postgresPidIn(directory)))
)

/** An embedded Postgres with Saldo's own settings. Its data directory is deleted at the end. */
export const temporaryPostgres = Layer.unwrap(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "saldo-tools-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ).pipe(Effect.map((dataDirectory) => EmbeddedPostgres.layer({ dataDirectory })))
)
