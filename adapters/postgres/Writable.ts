import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Does the database take writes? A standby does not, nor one that was told so. */
export const isWritable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ writable: boolean }>`
    select not pg_is_in_recovery() and not current_setting('default_transaction_read_only')::bool as writable`
  return row?.writable ?? false
})
