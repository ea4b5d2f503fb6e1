import type { PgClient } from "@effect/sql-pg"
import { type DateTime, Effect } from "effect"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { instant, int8 } from "../connection/Sql.ts"

/**
 * Number of sales, reversals, messages and deliveries that some process is working on now. Counts one company, or the whole
 * cell if the company is null.
 *
 * Recovery first asks about a sale in PROCESSING at a time when the call that made the sale has certainly ended.
 */
export const workInFlight = (
  sql: PgClient.PgClient,
  cell: string,
  { at, companyId }: { readonly at: DateTime.Utc; readonly companyId: CompanyId | null }
) => {
  const theirs = companyId === null ? sql`true` : sql`company_id = ${int8(companyId)}`
  const unresolved = (table: "transaction" | "reversal") => sql`
    select from ${sql(`${cell}.${table}`)}
    where ${theirs}
      and status in ('PROCESSING', 'PENDING')
      and (leased_until > ${instant(at)} or (status = 'PROCESSING' and ask_at > ${instant(at)}))`
  return sql<{ n: number }>`
    select count(*)::int as n
    from (
      ${unresolved("transaction")}
      union all
      ${unresolved("reversal")}
      union all
      select from ${sql(`${cell}.sms`)} where ${theirs} and leased_until > ${instant(at)}
      union all
      select from ${sql(`${cell}.delivery`)} where ${theirs} and leased_until > ${instant(at)}
    ) as work`.pipe(Effect.map(([row]) => row?.n ?? 0))
}
