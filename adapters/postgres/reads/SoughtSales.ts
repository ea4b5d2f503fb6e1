import { PgTypes } from "@effect/sql-pg"
import type { Fragment } from "effect/sql/Statement"
import type { Page } from "../../../core/domain/Page.ts"
import type { OwnedFilter, SoughtSale } from "../../../core/ports/Transactions.ts"
import type { CellSql } from "../connection/Cell.ts"
import { int8 } from "../connection/Sql.ts"
import type { WithTotal } from "./CountedList.ts"
import { furtherConditions, ofFilterCompany, rowConditions, shownOf } from "./SalesOfAllCompanies.ts"
import type { KeyedRow } from "./TransactionsPostgres.ts"

const texts = (sql: CellSql, values: ReadonlyArray<string>): Fragment => sql`${values}::text[]`

/**
 * Queries for the ids of one company's sales, one query for each index. `c` is the row of the company's balance, with the
 * column `xids`: the xids that follow from the key and this company. An xid has two partial indexes, and the literals let
 * the planner use them.
 */
const searchesOf = (sql: CellSql, { id, key, xids = [] }: SoughtSale): ReadonlyArray<Fragment> => {
  const ofXids = (wanted: Fragment) => [
    ...["t.status <> 'FAILED'", "t.status = 'FAILED'"].map(
      (part) => sql`
        select t.id
        from ${sql.cell}.transaction as t
        where t.company_id = c.company_id and t.xid = any (${wanted}) and ${sql.literal(part)}`
    ),
    ...["v.status <> 'DENIED'", "v.status = 'DENIED'"].map(
      (part) => sql`
        select v.transaction_id
        from ${sql.cell}.reversal as v
        where v.company_id = c.company_id and v.xid = any (${wanted}) and ${sql.literal(part)}`
    )
  ]
  return [
    ...(id === undefined
      ? []
      : [sql`select t.id from ${sql.cell}.transaction as t where t.company_id = c.company_id and t.id = ${int8(id)}`]),
    ...(xids.length === 0 ? [] : ofXids(texts(sql, xids))),
    // A key that was freed is not in the table idempotency. The xid that follows from the key finds its sale.
    ...(key === undefined
      ? []
      : [
          sql`select k.transaction_id from ${sql.cell}.idempotency as k where k.company_id = c.company_id and k.key = ${key}`,
          ...ofXids(sql`c.xids`)
        ])
  ]
}

/**
 * A page of the sales that have one of the sought values, newest first, with their total.
 *
 * The indexes of ids, xids and keys begin with the company, so each company of the cell is searched separately. The indexes of
 * identifiers begin with the identifier.
 */
export const pageOfSought = (sql: CellSql, sought: SoughtSale, filter: OwnedFilter, page: Page) => {
  const { derived, identifiers = [] } = sought
  const searches = searchesOf(sql, sought)
  const ofCompanies = sql`
    select c.company_id, f.id
    from (
      select c.company_id, d.xids
      from ${sql.cell}.balance as c
      left join jsonb_to_recordset(
        ${PgTypes.jsonb(derived.map(({ companyId: company_id, xids }) => ({ company_id, xids })))}
      ) as d(company_id bigint, xids text[]) on d.company_id = c.company_id
    ) as c
    cross join lateral (${sql.join(" union ", false)(searches.map((search) => sql`(${search})`))} offset 0) as f(id)
    where ${filter.companyId === undefined ? sql`true` : sql`c.company_id = ${int8(filter.companyId)}`}`
  const ofIdentifiers = ["t.status <> 'PROCESSING'", "t.status = 'PROCESSING'"].map(
    (part) => sql`
      select t.company_id, t.id
      from ${sql.cell}.transaction as t
      where t.identifier = any (${texts(sql, identifiers)})
        and ${sql.literal(part)}
        and ${ofFilterCompany(sql, filter, "t")}`
  )
  const found = [...(searches.length === 0 ? [] : [ofCompanies]), ...(identifiers.length === 0 ? [] : ofIdentifiers)]
  const narrowed = [...rowConditions(sql, filter), ...furtherConditions(sql, filter)]
  return sql<WithTotal<KeyedRow>>`
    with found(company_id, id) as materialized (${sql.join(" union ", false, "select 0, 0 where false")(found)}),
    matched as materialized (
      select f.*
      from found as f
      cross join lateral (
        select t.id
        from ${sql.cell}.transaction as t
        where ${sql.and([sql`t.company_id = f.company_id`, sql`t.id = f.id`, ...narrowed])}
        offset 0
      ) as t
    )
    ${shownOf(sql, page)}`
}
