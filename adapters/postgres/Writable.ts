import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Whether the database accepts writes. A standby does not, nor does a database in read-only mode. */
export const isWritable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ writable: boolean }>`
    select not pg_is_in_recovery() and not current_setting('default_transaction_read_only')::bool as writable`
  return row?.writable ?? false
})
