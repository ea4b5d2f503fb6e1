import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { readerLayer } from "../../adapters/postgres/connection/CompanyReads.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { Audit } from "../../core/ports/Audit.ts"
import { copyDatabase, copyOnce } from "./EmbeddedDatabases.ts"
import { lentPools } from "./LentPools.ts"

/**
 * Creates a migrated database for a server of a test.
 *
 * @returns its URL.
 */
export const freshDatabaseUrl: Effect.Effect<string> = Effect.suspend(() =>
  copyDatabase(inject("postgresUrl"), "template_saldo", `test_${randomUUID()}`)
)

/**
 * Copies a database that the first caller in the whole run prepares. Copying takes a seventh of the time of adding a cell.
 *
 * @param prepare changes a migrated database.
 * @returns the URL of the copy.
 */
export const copyOfPrepared = <E>(
  name: string,
  prepare: Effect.Effect<void, E, Layer.Success<ReturnType<typeof Database.layer>>>
): Effect.Effect<string> =>
  Effect.suspend(() => {
    const server = inject("postgresUrl")
    const prepared = (url: string) =>
      Effect.orDie(Effect.provide(prepare, Database.layer({ url: Redacted.make(url), connections_max: 1 })))
    return Effect.andThen(
      copyOnce(server, "template_saldo", name, prepared),
      copyDatabase(server, name, `test_${randomUUID()}`)
    )
  })

/** Connections to a database of a test. Reads of one company use the role saldo_reader, which cannot see other companies. */
export const connectedTo = (database: Effect.Effect<string>) =>
  Layer.unwrap(
    Effect.map(database, (text) => {
      const url = Redacted.make(text)
      return readerLayer({ url, connections_max: 1, isLazy: true }).pipe(
        Layer.provideMerge(Database.layer({ url, connections_max: 5 })),
        Layer.provideMerge(lentPools)
      )
    })
  )

/**
 * Connections to a new migrated database. Each test file that passes this to `layer` of @effect/vitest has its own
 * database.
 */
export const TestDatabase = connectedTo(freshDatabaseUrl)

/** URL of the test database, for other connections to the same rows. */
export const testDatabaseUrl = PgClient.PgClient.useSync(({ config }) => {
  if (config.url === undefined) throw new Error("TestDatabase has no URL")
  return Redacted.value(config.url)
})

/** The invariants that an audit finds violated, each with examples. */
export const violatedInvariants = Audit.use(({ prove }) =>
  Effect.map(prove, (examined) => examined.filter(({ violations }) => violations > 0))
)
