import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { readerLayer } from "../../adapters/postgres/connection/CompanyReads.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { copyDatabase } from "./EmbeddedDatabases.ts"

/** The address of a new migrated database, for a server that a test starts. */
export const freshDatabaseUrl: Effect.Effect<string> = Effect.suspend(() =>
  copyDatabase(inject("postgresUrl"), "template_saldo", `test_${randomUUID()}`)
)

/**
 * Connections to a new migrated database: one a test file, when given to `layer` of @effect/vitest. What belongs to one
 * company is read in the role that sees no other.
 */
export const TestDatabase = Layer.unwrap(
  Effect.map(freshDatabaseUrl, (text) => {
    const url = Redacted.make(text)
    return Layer.provideMerge(readerLayer({ url, connections_max: 2 }), Database.layer({ url, connections_max: 8 }))
  })
)

/** The address of the database that the connections lead to, for others who are to see the same rows. */
export const testDatabaseUrl = PgClient.PgClient.useSync(({ config }) => {
  if (config.url === undefined) throw new Error("TestDatabase connects by an address")
  return Redacted.value(config.url)
})
