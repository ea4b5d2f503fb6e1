import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { ErrorCode } from "../../core/domain/ErrorCodes.ts"
import { type Broken, type Ended, type Exchange, endsOf } from "./Exchange.ts"

/** What is kept of companies: a line a table, which says how many rows and what they hold. */
export type Snapshot = ReadonlyArray<string>

// That an answer was heard again is noted after it was heard, so a note may come while another call is watched.
const tablesOf = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return yield* sql<{ name: string }>`
    select table_name as name
    from information_schema.columns
    where table_schema = 'cell' and column_name = 'company_id' and table_name <> 'replay'
    order by table_name`
})

/** Looks at what is kept of some companies. */
export interface Watch {
  readonly look: Effect.Effect<Snapshot>
}

export const watchOver = Effect.fnUntraced(function* (companies: ReadonlyArray<number>) {
  const sql = yield* PgClient.PgClient
  const ids = companies.join(", ")
  const parts = (yield* tablesOf).map(
    ({ name }) => `
    select '${name}' as name, count(*)::int4 as rows, coalesce(sum(hashtext(t::text)), 0)::text as held
    from cell.${name} as t
    where company_id in (${ids})`
  )
  const statement = parts.join(" union all ")
  const found = sql.unsafe<{ name: string; rows: number; held: string }>(statement)
  const look = Effect.map(found, (tables) => tables.map(({ held, name, rows }) => `${name}: ${rows} rows, ${held}`))
  return { look: Effect.orDie(look) } satisfies Watch
}, Effect.orDie)

/** Refusals that come after the reservation, or after an attempt was counted. Contract: 3.1 and 4.6. */
const afterwards: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode>([
  "INVALID_PHONE",
  "TRANSACTION_REJECTED",
  "SEGURO_NO_EMITIDO",
  "OTP_INCORRECTO"
])

const mayChange = ({ code, operation, replayed, status }: Ended): boolean =>
  operation.method === "POST" && !replayed && (status < 300 || afterwards.has(code))

/** Nothing changes by a question, by a refusal before the reservation, or by a replay. Contract: 3.2 and 4.5. */
export const unchangedFaults = (
  exchanges: ReadonlyArray<Exchange>,
  before: Snapshot,
  after: Snapshot
): ReadonlyArray<Broken> => {
  if (exchanges.some((exchange) => endsOf(exchange).some(mayChange))) return []
  const changed = after.filter((line, index) => line !== before[index])
  return changed.map((line) => ({
    law: "a refusal changes nothing",
    what: `${line}; before: ${before[after.indexOf(line)]}`
  }))
}
