import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { machineFacts } from "../support/CheckProgram.ts"
import { temporaryPostgres } from "../support/EmbeddedDatabases.ts"
import { root } from "./Prove.ts"

const git = (...args: ReadonlyArray<string>) =>
  ChildProcessSpawner.ChildProcessSpawner.use((spawner) =>
    spawner.string(ChildProcess.make("git", args, { cwd: root }))
  ).pipe(
    Effect.map((said) => said.trim()),
    // The sources may have no git history, for example after a download.
    Effect.orElseSucceed(() => "")
  )

const commit = Effect.gen(function* () {
  const head = yield* git("rev-parse", "--short", "HEAD")
  if (head === "") return "not from git"
  return (yield* git("status", "--porcelain")) === "" ? head : `${head}, with changes that are not committed`
})

const postgresVersion = Effect.gen(function* () {
  const { url } = yield* EmbeddedPostgres
  const ask = PgClient.PgClient.use(
    (sql) => sql<{ version: string }>`select current_setting('server_version') as version`
  )
  const [row] = yield* Effect.provide(ask, Database.layer({ url, connections_max: 1 }))
  return row?.version ?? "unknown"
}).pipe(Effect.provide(temporaryPostgres))

/** The commit, the machine and the software versions of a proof. */
export const environmentFacts = Effect.gen(function* () {
  const { machine, node } = machineFacts()
  return { commit: yield* commit, machine, software: `Node ${node}, Postgres ${yield* postgresVersion}` }
})
