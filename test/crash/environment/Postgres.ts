import { PgClient } from "@effect/sql-pg"
import { Effect, Schedule } from "effect"
import { postgresPidIn } from "../../support/EmbeddedDatabases.ts"
import { readCells } from "./CellReads.ts"

/** How Postgres fails: kill the postmaster, kill one backend of a server, or shut down immediately (SIGQUIT). */
export type PostgresEnd = "the postmaster is killed" | "a backend is killed" | "immediate shutdown"

/** The server of the directory and of two cells, or the server of one cell. */
export type PostgresServer = "main" | "second"

/** Timeout of the restart of a killed Postgres. */
const recovery_max = "60 seconds"

const postmaster = (directory: string) => Effect.sync(() => postgresPidIn(directory) ?? 0)

const backend = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
    order by pid desc
    limit 1`
  return row?.pid ?? 0
}).pipe(Effect.orElseSucceed(() => 0))

const signal = (pid: number, name: NodeJS.Signals) =>
  Effect.sync(() => {
    if (pid > 0) process.kill(pid, name)
  })

/** Makes the Postgres with this data directory fail. */
export const endPostgres = (directory: string, end: PostgresEnd): Effect.Effect<void, never, PgClient.PgClient> => {
  switch (end) {
    case "the postmaster is killed":
      return Effect.flatMap(postmaster(directory), (pid) => signal(pid, "SIGKILL"))
    case "a backend is killed":
      return Effect.flatMap(backend, (pid) => signal(pid, "SIGKILL"))
    case "immediate shutdown":
      return Effect.flatMap(postmaster(directory), (pid) => signal(pid, "SIGQUIT"))
  }
}

/** Waits until the Postgres servers of all cells execute a query. */
export const untilPostgresAnswers = readCells("select 1").pipe(
  Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: recovery_max }))),
  Effect.orDie,
  Effect.asVoid
)
