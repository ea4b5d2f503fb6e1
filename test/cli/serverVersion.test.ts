import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import * as Database from "../../adapters/postgres/Database.ts"
import { faultOf } from "../../adapters/postgres/ServerVersion.ts"
import { commandLineOn } from "../support/CommandLine.ts"
import { copyDatabase } from "../support/EmbeddedDatabases.ts"

const connectedTo = (url: string) => Layer.fresh(Database.layer({ url: Redacted.make(url), connections_max: 1 }))

/** An empty database that takes itself for one of Postgres 17.6: whoever asks it finds that said before the truth. */
const older = Effect.gen(function* () {
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

describe("a Postgres of a version before", () => {
  it("is told by its number", () => {
    assert.isNull(faultOf({ version: "18.4", number: 180_004 }))
    assert.include(faultOf({ version: "17.6", number: 170_006 }), "Postgres 17.6, and Saldo needs 18 or later")
  })

  // It would take the functions of the money, and not understand them once a sale has been sent.
  it.live("is refused in one line, by whatever would use it, and nothing is made in it", () =>
    Effect.gen(function* () {
      const url = yield* older
      const { run } = commandLineOn(url)
      for (const command of [["migrate"], ["serve"], ["company", "list"]]) {
        const { code, stderr } = yield* run(...command)
        assert.strictEqual(code, 1, command.join(" "))
        assert.match(stderr, /^error: the database cannot be used: it is Postgres 17\.6, .* 18 or later: [^\n]*\n?$/)
      }
      assert.match((yield* run("doctor")).stdout, /WRONG +database +.*Postgres 17\.6, and Saldo needs 18 or later/)
      assert.deepStrictEqual(yield* tablesOf(url), [])
    })
  )
})
