import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { readerLayer } from "../../adapters/postgres/connection/CompanyReads.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { Audit } from "../../core/ports/Audit.ts"
import { copyDatabase } from "./EmbeddedDatabases.ts"

/**
 * Creates a migrated database for a server of a test.
 *
 * @returns its URL.
 */
export const freshDatabaseUrl: Effect.Effect<string> = Effect.suspend(() =>
  copyDatabase(inject("postgresUrl"), "template_saldo", `test_${randomUUID()}`)
)

/**
 * Connections to a new migrated database. Each test file that passes this to `layer` of @effect/vitest has its own
 * database. Reads of one company use the role saldo_reader, which cannot see other companies.
 */
export const TestDatabase = Layer.unwrap(
  Effect.map(freshDatabaseUrl, (text) => {
    const url = Redacted.make(text)
    return Layer.provideMerge(
      readerLayer({ url, connections_max: 1, isLazy: true }),
      Database.layer({ url, connections_max: 5 })
    )
  })
)

/** URL of the test database, for other connections to the same rows. */
export const testDatabaseUrl = PgClient.PgClient.useSync(({ config }) => {
  if (config.url === undefined) throw new Error("TestDatabase has no URL")
  return Redacted.value(config.url)
})

/** The invariants that an audit finds violated, each with examples. */
export const violatedInvariants = Audit.use(({ prove }) =>
  Effect.map(prove, (examined) => examined.filter(({ violations }) => violations > 0))
)
