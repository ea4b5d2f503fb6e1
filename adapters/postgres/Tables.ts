import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** Is there a table, or anything else that has columns, of that name? */
export const tableExists = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, name: string) {
  const [table] = yield* sql<{ present: boolean }>`select to_regclass(${name}) is not null as present`
  return table?.present === true
})
