import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { knownVersions } from "./SqlFiles.ts"
import { tableExists } from "./Tables.ts"

const ownVersion = Effect.map(knownVersions, (all) => all.at(-1)?.version ?? 0)

/** The version that the database has: 0 while it has none, or one from before there were numbers. */
const versionThere = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists(sql, "migration_version"))) return 0
  const [row] = yield* sql<{ version: number }>`select coalesce(max(version), 0) as version from migration_version`
  return row?.version ?? 0
})

/** Is the database's schema of a later version than this one? Then it is that version's to change. */
export const isAhead = Effect.zipWith(versionThere, ownVersion, (there, own) => there > own)

/** Does the database say that its schema is of this version? */
export const isRecorded = Effect.zipWith(versionThere, ownVersion, (there, own) => there === own)

export const recordVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table if not exists migration_version (version int primary key)`
  yield* sql`insert into migration_version (version) values (${yield* ownVersion}) on conflict do nothing`
})
