import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { digestOf, digestOfAll, functions, roles, run, type SqlFile } from "./SqlFiles.ts"
import { tableExists } from "./Tables.ts"

/** The digests of the files that were run, each as it was then. */
const known = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = (yield* tableExists(sql, "migration_function"))
    ? yield* sql<{ name: string; digest: string }>`select name, digest from migration_function`
    : []
  return new Map(rows.map(({ digest, name }) => [name, digest]))
})

/** Runs what may be run any number of times, and remembers what it was. */
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

/** The names of the functions that the database does not have, or has in another version. */
export const outdatedFunctions = Effect.map(outdated, (files) => files.map(pathOf))

/** A function has no state, so it is made anew whenever its file has changed. */
export const renewFunctions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table if not exists migration_function (name text primary key, digest text not null)`
  return yield* Effect.forEach(yield* outdated, (file) => Effect.as(renew(file, digestOf(file)), pathOf(file)))
})

/**
 * What is to be granted on the whole of this version, and its digest; null where there are no roles
 * and none can be made.
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

/** Is everything granted that can be? */
export const isGranted = Effect.map(ungranted, (wanted) => wanted === null)

/** A function that is made anew has lost what was granted on it, and a new table has nothing granted on it yet. */
export const renewGrants = Effect.gen(function* () {
  const wanted = yield* ungranted
  if (wanted === null) return []
  yield* renew(wanted.file, wanted.digest)
  return [wanted.file.name]
})
