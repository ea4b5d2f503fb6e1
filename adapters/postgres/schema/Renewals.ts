import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { tableExists } from "../connection/Sql.ts"
import { digestOf, digestOfAll, functions, roles, run, type SqlFile } from "./SqlFiles.ts"

/** The digest of each file at the time it was last run. */
const known = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = (yield* tableExists(sql, "migration_function"))
    ? yield* sql<{ name: string; digest: string }>`select name, digest from migration_function`
    : []
  return new Map(rows.map(({ digest, name }) => [name, digest]))
})

/** Runs a repeatable file and stores its digest. */
const renew = Effect.fnUntraced(function* (file: SqlFile, digest: string) {
  const sql = yield* SqlClient.SqlClient
  yield* run(file)
  yield* sql`
    insert into migration_function (name, digest)
    values (${file.name}, ${digest})
    on conflict (name) do update set digest = excluded.digest`
})

const pathOf = ({ name }: SqlFile): string => `functions/${name}`

const outdated = Effect.gen(function* () {
  const digests = yield* known
  return (yield* functions).filter((file) => digests.get(file.name) !== digestOf(file))
})

/** The names of the function files that are missing or outdated in the database. */
export const outdatedFunctions = Effect.map(outdated, (files) => files.map(pathOf))

/** Recreates the functions whose files changed. Functions have no state. */
export const renewFunctions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table if not exists migration_function (name text primary key, digest text not null)`
  return yield* Effect.forEach(yield* outdated, (file) => Effect.as(renew(file, digestOf(file)), pathOf(file)))
})

/**
 * The grants file and the digest of the whole schema, if grants are outdated. Null also if the roles do not exist and
 * this login cannot create them.
 */
const ungranted = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [there] = yield* sql<{ possible: boolean }>`
    select
      (select rolsuper or rolcreaterole from pg_roles where rolname = current_user)
      or (select count(*) = 3 from pg_roles where rolname in ('saldo_reader', 'saldo_server', 'saldo_operator'))
      as possible`
  if (there?.possible !== true) return null
  const file = yield* roles
  const digest = yield* digestOfAll
  return (yield* known).get(file.name) === digest ? null : { file, digest }
})

/** Whether all possible grants are up to date. */
export const isGranted = Effect.map(ungranted, (wanted) => wanted === null)

/** Repeats the grants. Recreated functions and new tables have none. */
export const renewGrants = Effect.gen(function* () {
  const wanted = yield* ungranted
  if (wanted === null) return []
  yield* renew(wanted.file, wanted.digest)
  return [wanted.file.name]
})
