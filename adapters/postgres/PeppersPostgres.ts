import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Number of tokens that are not revoked, by the way their secrets are stored. */
export interface PepperCounts {
  readonly plain: number
  readonly under: number
  /** Stored under a different pepper. These secrets cannot be verified. */
  readonly underAnother: number
}

const noTokens: PepperCounts = { plain: 0, under: 0, underAnother: 0 }

/** Counts tokens by the pepper of their secret. `name` identifies the configured pepper. Changes nothing. */
export const countPeppers = Effect.fnUntraced(function* (name: string | null) {
  const sql = yield* SqlClient.SqlClient
  const [known] = yield* sql<{ present: boolean }>`
    select exists (
      select from information_schema.columns
      where table_schema = 'directory' and table_name = 'token' and column_name = 'secret_pepper'
    ) as present`
  if (known?.present !== true) return noTokens
  const [row] = yield* sql<PepperCounts>`
    select
      (count(*) filter (where secret_pepper is null))::int as plain,
      (count(*) filter (where secret_pepper = ${name}))::int as under,
      (count(*) filter (where secret_pepper is not null and secret_pepper is distinct from ${name}))::int as "underAnother"
    from directory.token
    where state <> 'revoked'`
  return row ?? noTokens
})
