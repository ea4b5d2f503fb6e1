import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as CataloguePostgres from "../../adapters/postgres/CataloguePostgres.ts"
import { Catalogue } from "../../core/ports/Catalogue.ts"
import { TestDatabase } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { company } from "../unit/support/Examples.ts"

layer(TestDatabase, { excludeTestServices: true })("the catalogue in memory", (it) => {
  it.effect("does not keep that it could not be read", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { services } = yield* Catalogue
      // Whoever has begun to listen forgets what it knew.
      yield* eventually(
        sql`select 1 from pg_stat_activity where datname = current_database() and query ilike 'listen%'`,
        (rows) => rows.length === 1
      )
      yield* sql`alter table catalogue.service rename to elsewhere`
      assert.isTrue(Exit.isFailure(yield* Effect.exit(services(company))))
      yield* sql`alter table catalogue.elsewhere rename to service`
      assert.deepStrictEqual(yield* services(company), [])
    }).pipe(Effect.provide(CataloguePostgres.layer))
  )
})
