import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** Whether a table, view or index with this name exists. */
export const tableExists = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, name: string) {
  const [table] = yield* sql<{ present: boolean }>`select to_regclass(${name}) is not null as present`
  return table?.present === true
})
