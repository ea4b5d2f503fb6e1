import { PgClient } from "@effect/sql-pg"
import { Effect, Schedule } from "effect"
import { postgresPidIn } from "../../support/EmbeddedDatabases.ts"

/** How a Postgres goes down: its first process is killed, or one that works for a server, or it is told to drop all. */
export type PostgresEnd = "its first process is killed" | "a process of it is killed" | "it is stopped at once"

/** A Postgres that is killed is started again; it is not given longer than this. */
const recovery_max = "60 seconds"

const firstProcess = (directory: string) => Effect.sync(() => postgresPidIn(directory) ?? 0)

const someProcess = Effect.gen(function* () {
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

/** Ends the Postgres that has its files in the directory. */
export const endPostgres = (directory: string, end: PostgresEnd): Effect.Effect<void, never, PgClient.PgClient> => {
  switch (end) {
    case "its first process is killed":
      return Effect.flatMap(firstProcess(directory), (pid) => signal(pid, "SIGKILL"))
    case "a process of it is killed":
      return Effect.flatMap(someProcess, (pid) => signal(pid, "SIGKILL"))
    case "it is stopped at once":
      return Effect.flatMap(firstProcess(directory), (pid) => signal(pid, "SIGQUIT"))
  }
}

/** Waits until Postgres answers again. */
export const untilPostgresAnswers = PgClient.PgClient.use((sql) => sql`select 1`).pipe(
  Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: recovery_max }))),
  Effect.orDie,
  Effect.asVoid
)
