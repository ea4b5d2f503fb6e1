import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { tableExists } from "../connection/Sql.ts"
import { knownVersions } from "./SqlFiles.ts"

const ownVersion = Effect.map(knownVersions, (all) => all.at(-1)?.version ?? 0)

/** Version of the database's schema. 0 if there is no schema or if it has no version number. */
const versionThere = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* tableExists(sql, "migration_version"))) return 0
  const [row] = yield* sql<{ version: number }>`select coalesce(max(version), 0) as version from migration_version`
  return row?.version ?? 0
})

/** Whether the database's schema is later than this version. Then only that version may change it. */
export const isAhead = Effect.zipWith(versionThere, ownVersion, (there, own) => there > own)

/** Whether the database records exactly this schema version. */
export const isRecorded = Effect.zipWith(versionThere, ownVersion, (there, own) => there === own)

export const recordVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table if not exists migration_version (version int primary key)`
  yield* sql`insert into migration_version (version) values (${yield* ownVersion}) on conflict do nothing`
})
