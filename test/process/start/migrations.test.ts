import { randomUUID } from "node:crypto"
import { appendFileSync, cpSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import { migrate, pending } from "../../../adapters/postgres/schema/Migrations.ts"
import { faultOf } from "../../../adapters/postgres/schema/ServerVersion.ts"
import { SqlFolder, sqlFiles } from "../../../adapters/postgres/schema/SqlFiles.ts"
import { commandLineOn } from "../../support/CommandLine.ts"
import { asLoginIn } from "../../support/DatabaseLogins.ts"
import { copyDatabase } from "../../support/EmbeddedDatabases.ts"
import { temporaryDirectory, timeout_ms } from "../../support/FirstStart.ts"

const connectedTo = (url: string) => Layer.fresh(Database.layer({ url: Redacted.make(url), connections_max: 1 }))

// database_roles.sql is a part of both files roles.sql.
const files = readdirSync(new URL("../../../sql/", import.meta.url), { recursive: true }).filter(
  (name) => /\.sql$/.test(String(name)) && name !== "database_roles.sql"
)

describe("replicas that start concurrently on an empty database", { timeout: timeout_ms }, () => {
  it.live("migrate the database once", () =>
    Effect.gen(function* () {
      const url = yield* copyDatabase(inject("postgresUrl"), "template0", `bare_${randomUUID()}`)
      const replica = Layer.fresh(Database.layer({ url: Redacted.make(url), connections_max: 1 }))
      // Each replica has warmed its caches, so it makes no extra query while it waits for the others.
      const looked = Effect.replicateEffect(pending, 10, { discard: true })
      const applied = yield* Effect.forEach(
        [1, 2, 3, 4, 5, 6],
        () => Effect.provide(Effect.andThen(looked, migrate), replica),
        { concurrency: "unbounded" }
      )
      // The cell is migrated in a separate transaction, which another replica may run.
      assert.lengthOf(applied.flat(), files.length)
      assert.lengthOf(new Set(applied.flat()), files.length)
    })
  )
})

/** The next version of the schema: one more migration and a changed money function. */
const laterVersion = Effect.gen(function* () {
  const folder = join(yield* temporaryDirectory, "sql")
  cpSync(fileURLToPath(yield* SqlFolder), folder, { recursive: true })
  const { versions } = yield* sqlFiles
  appendFileSync(join(folder, "cell", "0099_later.sql"), "create table later (company_id bigint primary key);\n")
  appendFileSync(join(folder, "functions", "deposit.sql"), "comment on function deposit is 'of the later version';\n")
  appendFileSync(join(folder, "versions.txt"), `${versions.length + 1} later\n`)
  return Effect.provideService(SqlFolder, pathToFileURL(`${folder}/`))
})

/** The comment on `cell.deposit`, which differs between the two versions. */
const depositIn = (url: string) =>
  PgClient.PgClient.use(
    (sql) => sql<{ of: string | null }>`select obj_description('cell.deposit'::regproc, 'pg_proc') as of`
  ).pipe(
    Effect.map(([row]) => row?.of ?? null),
    Effect.provide(connectedTo(url))
  )

const bare = Effect.suspend(() => copyDatabase(inject("postgresUrl"), "template0", `bare_${randomUUID()}`))

/** Makes the database look like one of version 23, which has one cell and records all files in the directory. */
const asBeforeCells = SqlClient.SqlClient.use(
  (sql) =>
    sql`
    do $$
    begin
      insert into directory.schema_file
      select name, digest
      from cell.schema_file
      where name <> 'roles' and name !~ '^00(?:2[4-9]|[3-9])'
      on conflict do nothing;
      delete from directory.schema_file where name in ('funding', 'move') or name ~ '^00(?:2[4-9]|[3-9])';
      delete from directory.schema_version where version > 23;
      drop table cell.schema_file, cell.follow_up, cell.departed, directory.company_move, directory.cell_move;
      drop function cell.refuse_frozen, cell.refuse_in_frozen_cell;
      drop function cell.is_leaving, cell.refuse_departed cascade;
      drop function cell.has_departed;
      drop trigger funding_proposal_whole on cell.funding_proposal;
      create trigger funding_proposal_kept
      before delete or truncate on cell.funding_proposal
      for each statement
      execute function cell.refuse_funding_change();
      drop function cell.refuse_closed cascade;
      alter table cell.balance drop column closed;
      drop function directory.require_open_cell cascade;
      drop function directory.require_sandbox_on_main cascade;
      alter table directory.company drop column cell;
      drop table directory.cell;
    end;
    $$`.unprepared
)

describe("a database of a version without several cells", { timeout: timeout_ms }, () => {
  it.live("becomes one cell, and no table is rewritten", () =>
    Effect.gen(function* () {
      const url = yield* bare
      yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const tables = sql<{ table: string; file: number }>`
          select c.oid::regclass::text as table, c.relfilenode::int as file
          from pg_class as c
          where c.relnamespace = 'cell'::regnamespace and c.relkind = 'r' and c.relname not in ('departed', 'follow_up', 'schema_file')
          order by 1`
        yield* migrate
        yield* asBeforeCells
        yield* sql`
          insert into directory.company (legal_name, code, environment, created_at) values ('Uno', 'UNO', 'production', now())`
        yield* sql`insert into cell.balance (company_id, available, updated_at) values (1, 500, now())`
        const before = yield* tables
        assert.include(yield* migrate, "directory/0024_cells")
        assert.deepStrictEqual(yield* tables, before)
        assert.deepStrictEqual(yield* sql`select name, ordinal, state from directory.cell`, [
          { name: "cell", ordinal: 0, state: "open" }
        ])
        assert.deepStrictEqual(yield* sql`select cell from directory.company`, [{ cell: "cell" }])
        assert.deepStrictEqual(yield* migrate, [])
      }).pipe(Effect.provide(connectedTo(url)))
    }).pipe(Effect.scoped)
  )
})

describe("a process of the previous version", { timeout: timeout_ms }, () => {
  it.live("starts on a newer schema and leaves it unchanged", () =>
    Effect.gen(function* () {
      const url = yield* bare
      const later = yield* laterVersion
      yield* Effect.provide(migrate, connectedTo(url))
      assert.isNull(yield* depositIn(url))
      assert.deepStrictEqual(yield* Effect.provide(later(migrate), connectedTo(url)), [
        "cell/0099_later",
        "cell/functions/deposit",
        "cell/roles"
      ])
      // Tries the login of the owner, and a login that may not change the schema.
      for (const login of [url, asLoginIn("saldo_server", url)]) {
        assert.deepStrictEqual(yield* Effect.provide(migrate, connectedTo(login)), [])
        assert.deepStrictEqual(yield* Effect.provide(pending, connectedTo(login)), [])
      }
      assert.strictEqual(yield* depositIn(url), "of the later version")
      assert.deepStrictEqual(yield* Effect.provide(later(migrate), connectedTo(url)), [])
    }).pipe(Effect.scoped)
  )

  it.live("leaves the schema unchanged if a newer version migrates it during the start", () =>
    Effect.gen(function* () {
      const url = yield* bare
      const later = yield* laterVersion
      const waiting = (count: number) =>
        PgClient.PgClient.use(
          (sql) => sql<{ count: number }>`
            select count(*)::int as count
            from pg_locks
            where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
        ).pipe(Effect.repeat({ until: ([row]) => row?.count === count }))
      const done = yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const all = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select pg_advisory_xact_lock(7249014)`
            const first = yield* Effect.forkScoped(Effect.provide(later(migrate), connectedTo(url)))
            yield* waiting(1)
            const second = yield* Effect.forkScoped(Effect.provide(migrate, connectedTo(url)))
            yield* waiting(2)
            return [first, second] as const
          })
        )
        return yield* Effect.forEach(all, Fiber.join)
      }).pipe(Effect.provide(connectedTo(url)))
      assert.deepStrictEqual(
        done.map(({ length }) => length),
        [files.length + 1, 0]
      )
      assert.strictEqual(yield* depositIn(url), "of the later version")
    }).pipe(Effect.scoped)
  )
})

/** An empty database that reports version 17.6: a function `current_setting` in its search path hides the real one. */
const olderPostgres = Effect.gen(function* () {
  const name = `older_${randomUUID()}`
  const url = yield* copyDatabase(inject("postgresUrl"), "template0", name)
  yield* PgClient.PgClient.use((sql) =>
    Effect.gen(function* () {
      yield* sql`create schema said`
      yield* sql`
        create function said.current_setting(asked text) returns text
        return case asked
          when 'server_version' then '17.6'
          when 'server_version_num' then '170006'
          else pg_catalog.current_setting(asked)
        end`
      yield* sql.unsafe(`alter database "${name}" set search_path = said, pg_catalog, public`)
    })
  ).pipe(Effect.provide(connectedTo(url)))
  return url
})

const tablesOf = (url: string) =>
  PgClient.PgClient.use(
    (sql) => sql`select tablename from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`
  ).pipe(Effect.provide(connectedTo(url)))

/** Asserts that every command fails on this database with this one line. */
const everyCommandFails = Effect.fnUntraced(function* (url: string, message: RegExp) {
  for (const command of [["migrate"], ["serve"], ["company", "list"]]) {
    const { code, stderr } = yield* commandLineOn(url).run(...command)
    assert.strictEqual(code, 1, command.join(" "))
    assert.match(stderr, message)
  }
})

describe("Postgres below version 18", () => {
  it("is recognised by its version number", () => {
    assert.isNull(faultOf({ version: "18.4", number: 180_004 }))
    assert.include(faultOf({ version: "17.6", number: 170_006 }), "Postgres 17.6, but Saldo needs version 18 or later")
  })

  // Postgres 17 would accept the functions that move money and fail only when one is called.
  it.live("is refused in one line by every command, and no table is created", () =>
    Effect.gen(function* () {
      const url = yield* olderPostgres
      yield* everyCommandFails(
        url,
        /^error: the database cannot be used: it runs Postgres 17\.6, .* 18 or later: [^\n]*\n?$/
      )
      assert.match(
        (yield* commandLineOn(url).run("doctor")).stdout,
        /WRONG +database +.*Postgres 17\.6, but Saldo needs version 18 or later/
      )
      assert.deepStrictEqual(yield* tablesOf(url), [])
    })
  )
})

/** A database made before the first release: it has tables but no schema version. */
const unreleased = Effect.gen(function* () {
  const url = yield* bare
  yield* PgClient.PgClient.use((sql) =>
    Effect.gen(function* () {
      yield* sql`create schema directory`
      yield* sql`create schema cell`
      yield* sql`create table cell.balance (company_id bigint primary key)`
      yield* sql`create table migration (migration_id int primary key, name text)`
    })
  ).pipe(Effect.provide(connectedTo(url)))
  return url
})

describe("a database of an unreleased version", { timeout: timeout_ms }, () => {
  it.live("is refused in one line of advice and left unchanged", () =>
    Effect.gen(function* () {
      const url = yield* unreleased
      const before = yield* tablesOf(url)
      yield* everyCommandFails(
        url,
        /^error: the database was made by an unreleased version of Saldo [^\n]*: point DATABASE_URL at a new empty database, or remove DATA_DIR\n?$/
      )
      const doctor = yield* commandLineOn(url).run("doctor")
      assert.strictEqual(doctor.code, 1)
      assert.match(doctor.stdout, /^WRONG +migrations +the database was made by an unreleased version of Saldo /m)
      assert.deepStrictEqual(yield* tablesOf(url), before)
    })
  )
})
