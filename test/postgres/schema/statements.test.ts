import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { runStatements, sqlFiles, statementsOf } from "../../../adapters/postgres/schema/SqlFiles.ts"
import { TestDatabase } from "../../support/Database.ts"

/**
 * The functions, relations and rights that the files created in a schema, without the schema's name. Leaves out
 * block_length, because it is different in test databases.
 */
const madeIn = (schema: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ name: string }>`
      select replace(p.oid::regprocedure || ' ' || p.prosrc, ${`${schema}.`}, '') as name
      from pg_proc as p
      where p.pronamespace = ${schema}::regnamespace and p.proname <> 'block_length'
      union all
      select c.relkind::text || ' ' || c.relname || ' ' || coalesce(replace(c.relacl::text, ${`${schema}.`}, ''), '')
      from pg_class as c
      where c.relnamespace = ${schema}::regnamespace and c.relname !~ '^schema_file'
      order by 1`
  )

layer(TestDatabase, { timeout: "2 minutes" })("the files of a cell", (it) => {
  it.effect("make the same cell when their statements run one by one, as in a Citus cluster", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { cell } = yield* sqlFiles
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`create schema apart`
          yield* sql`select set_config('search_path', 'apart, pg_temp', true)`
          yield* Effect.forEach([...cell.once, ...cell.functions, cell.roles], runStatements, { discard: true })
        })
      )
      const made = yield* madeIn("apart")
      assert.isAbove(made.length, 100)
      assert.deepStrictEqual(made, yield* madeIn("cell"))
    })
  )

  it.effect("are divided at semicolons outside of comments, texts and bodies", () =>
    Effect.sync(() => {
      const body = `-- one; two\nselect ';', "a;b" from t;\ndo $$ begin x := ';'; end $$; select $q$ ; $$ ; $q$ -- end;\n;\n-- last;\n`
      assert.deepStrictEqual(
        statementsOf({ name: "", digest: "", body }).map((statement) => statement.trim()),
        [`-- one; two\nselect ';', "a;b" from t`, "do $$ begin x := ';'; end $$", "select $q$ ; $$ ; $q$ -- end;"]
      )
    })
  )
})
