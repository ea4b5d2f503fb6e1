import { PgTypes } from "@effect/sql-pg"
import { DateTime, Duration } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { instantsOf } from "../../../core/domain/LocalTime.ts"
import type { Page } from "../../../core/domain/Page.ts"
import type { OwnedFilter } from "../../../core/ports/Transactions.ts"
import type { CellSql } from "../connection/Cell.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { boundsOf, furtherOf, type WithTotal } from "./CountedList.ts"
import { type KeyedRow, saleList, salesHavingAnyOf } from "./TransactionsPostgres.ts"

type Sql = CellSql

const int8s = (sql: Sql, values: ReadonlyArray<number>): Fragment => sql`${values.map(String)}::text[]::bigint[]`

/** Condition for rows of the filter's company. `table` is the alias of rows with a company id. */
export const ofFilterCompany = (sql: Sql, { companyId }: OwnedFilter, table: string): Fragment =>
  companyId === undefined ? sql`true` : sql`${sql.literal(table)}.company_id = ${int8(companyId)}`

/** Conditions for a row `t` by status and terminal. */
export const rowConditions = (sql: Sql, { statuses, terminalId }: OwnedFilter): ReadonlyArray<Fragment> => [
  ...(statuses === undefined ? [] : [sql.literal(salesHavingAnyOf(statuses)?.row ?? "true")]),
  ...(terminalId === undefined ? [] : [sql`t.terminal_id = ${terminalId}`])
]

/**
 * Conditions for a row `t` by day and service. The added interval hides the date from the planner. Otherwise
 * the planner could search the index of creation times, which covers all companies, once for each company.
 */
export const furtherConditions = (sql: Sql, { services, ...range }: OwnedFilter): ReadonlyArray<Fragment> => {
  const { since, until } = instantsOf(range)
  return [
    ...(services === undefined ? [] : [sql`t.service_id = any (${int8s(sql, services)})`]),
    ...(since === undefined ? [] : [sql`(t.created_at + interval '0') >= ${instant(since)}`]),
    ...(until === undefined ? [] : [sql`(t.created_at + interval '0') < ${instant(until)}`])
  ]
}

/** The page of `matched`, a table with the company and id of each match. `cut`: whether `matched` is incomplete. */
export const shownOf = (sql: Sql, page: Page, cut = sql`false`): Fragment => sql`
  select whole.total, whole.cut, shown.*${furtherOf(sql, saleList)}
  from (select count(*) as total, ${cut} as cut from matched) as whole
  left join (
    select ${sql.literal(saleList.columns)}
    from (
      select company_id, id
      from matched
      order by id desc, company_id
      offset ${boundsOf(page).skipped}
      limit ${page.perPage}
    ) as m
    join ${sql.cell}.transaction as t on t.company_id = m.company_id and t.id = m.id
  ) as shown on true
  order by shown.id desc, shown.company_id`

/**
 * The blocks that contain sales of the filter's services and terminal, with `counted`, the SQL for their number in a
 * block `o`. `services` are the services of the sales in the block.
 */
const blocksOf = (sql: Sql, filter: OwnedFilter, counted: Fragment): Fragment => {
  const { services, terminalId } = filter
  if (services === undefined && terminalId === undefined)
    return sql`
      select o.company_id, null::bigint[] as services, o.first_id, o.last_id, ${counted} as n
      from ${sql.cell}.block as o
      where o.list = 'sale' and ${ofFilterCompany(sql, filter, "o")}`
  const named = services === undefined ? sql`(values (null::bigint))` : sql`unnest(${int8s(sql, services)})`
  return sql`
    select o.company_id, array[s.service_id] as services, o.first_id, o.last_id, ${counted} as n
    from ${sql.cell}.balance as b
    cross join ${named} as s(service_id)
    cross join lateral (
      select o.*
      from ${sql.cell}.sublist_block as o
      where o.company_id = b.company_id
        and o.sublist = ${sql.cell}.sublist_of(s.service_id, ${PgTypes.text(terminalId ?? null)})
      offset 0
    ) as o
    where ${ofFilterCompany(sql, filter, "b")}`
}

/**
 * A page of the sales of all companies, or of one, newest first, with their total. Only for a filter without days.
 *
 * The blocks of different companies overlap in time, and one company's sales may fill the whole page. So for each company,
 * the query considers as many of the newest sales as there are rows up to the end of the page. The query skips a block if
 * newer blocks contain enough sales for the page. Sales that are in no block yet are treated as one more block.
 */
export const pageOfAllCompanies = (sql: Sql, filter: OwnedFilter, page: Page) => {
  const { services, statuses, terminalId } = filter
  const { reach, skipped } = boundsOf(page)
  const counted = sql.literal(salesHavingAnyOf(statuses)?.counted ?? "o.members")
  const isWhole = statuses === undefined && services === undefined && terminalId === undefined
  const narrowed = [
    sql`t.company_id = o.company_id`,
    sql`t.id between o.first_id and o.last_id`,
    ...rowConditions(sql, filter),
    ...(services === undefined ? [] : [sql`t.service_id = any (o.services)`])
  ]
  return sql<WithTotal<KeyedRow>>`
    with beyond as (
      select b.company_id, ${services === undefined ? sql`null::bigint[]` : int8s(sql, services)} as services, o.first_id,
        o.last_id, b.sales - b.sales_listed as n
      from ${sql.cell}.balance as b
      cross join lateral (
        select min(t.id) as first_id, max(t.id) as last_id
        from ${sql.cell}.transaction as t
        where t.company_id = b.company_id and t.id > b.listed_to
      ) as o
      where b.sales > b.sales_listed and ${ofFilterCompany(sql, filter, "b")}
    ),
    counted as (
      ${blocksOf(sql, filter, counted)}
      union all
      select o.company_id, o.services, o.first_id, o.last_id,
        ${isWhole ? sql`o.n` : sql`(select count(*) from ${sql.cell}.transaction as t where ${sql.and(narrowed)})`}
      from beyond as o
    ),
    summed as materialized (
      select
        company_id,
        services,
        first_id,
        last_id,
        (sum(n) over (partition by company_id, services order by first_id desc))::bigint - n as newer,
        sum(n) over (order by first_id desc) as upto,
        n
      from counted
      where n > 0
    ),
    shown as (
      select r.*
      from summed as o
      cross join lateral (
        select ${sql.literal(saleList.columns)}
        from ${sql.cell}.transaction as t
        where ${sql.and(narrowed)}
        order by t.id desc
        limit ${reach} - o.newer
      ) as r
      where o.newer < ${reach}
        and o.last_id >= coalesce((select max(first_id) from summed where upto >= ${reach}), 0)
      order by r.id desc, r.company_id
      offset ${skipped}
      limit ${page.perPage}
    )
    select whole.total, shown.*${furtherOf(sql, saleList)}
    from (select coalesce(sum(n), 0)::bigint as total from summed) as whole
    left join shown on true
    order by shown.id desc, shown.company_id`
}

/**
 * The largest expected difference between the order of ids and of creation times. Ids are assigned by the database, and
 * creation times by the servers' clocks.
 */
const disorder_max = Duration.days(1)

/**
 * SQL for an id before and an id after all sales of the filter's days, of the company of a balance `b`. The ids of a company
 * rise with time. The ids of different companies of a cell may not, because a company keeps its ids when it moves to another
 * cell.
 */
const idsOf = (sql: Sql, range: OwnedFilter) => {
  const { since, until } = instantsOf(range)
  const before =
    since === undefined
      ? sql`null`
      : sql`(
          select max(o.last_id)
          from ${sql.cell}.block as o
          where o.company_id = b.company_id
            and o.list = 'sale'
            and o.latest < ${instant(DateTime.subtractDuration(since, disorder_max))}
        )`
  const after =
    until === undefined
      ? sql`null`
      : sql`(
          select min(o.first_id)
          from ${sql.cell}.block as o
          where o.company_id = b.company_id
            and o.list = 'sale'
            and o.earliest > ${instant(DateTime.addDuration(until, disorder_max))}
        )`
  const beyondNewest = sql`(
    select max(t.id) + 1 from ${sql.cell}.transaction as t where t.company_id = b.company_id
  )`
  return { before: sql`coalesce(${before}, 0)`, after: sql`coalesce(${after}, ${beyondNewest}, 1)` }
}

/**
 * SQL for an id such that about `count` ids lie above it, up to `last`. With several cells, consecutive ids
 * from `seqstart` on differ by `seqincrement` (schema/CellIds.ts). Consecutive ids below `seqstart` differ by
 * 1.
 */
const belowNewest = (sql: Sql, last: Fragment, count: number): Fragment => sql`(
  select greatest(
    ${last} - ${int8(count)} * q.seqincrement,
    least(${last}, q.seqstart) - ${int8(count)} + greatest(${last} - q.seqstart, 0) / q.seqincrement
  )
  from pg_sequence as q
  where q.seqrelid = '${sql.cell}.transaction_id'::regclass
)`

/**
 * A page of the sales of some days, newest first, with their total. Reads all sales of these days.
 *
 * The index of creation times is coarse: after many updates, its parts overlap. But the ids of a company rise with time, so
 * the ends of the company's blocks limit which of its ids can belong to these days.
 *
 * @param newest_max number of the newest ids to read; all by default. `cut` is true if there are more.
 */
export const pageOfDays = (sql: Sql, filter: OwnedFilter, page: Page, newest_max = Number.MAX_SAFE_INTEGER) => {
  const ids = idsOf(sql, filter)
  const narrowed = [
    sql`t.company_id = span.company_id`,
    sql`t.id > span.before and t.id < span.after`,
    ...rowConditions(sql, filter),
    ...furtherConditions(sql, filter)
  ]
  const cut = sql`exists (
    select
    from span
    cross join lateral (
      select t.id
      from ${sql.cell}.transaction as t
      where t.company_id = span.company_id
        and t.id > span.whole_before
        and t.id <= span.before
        and t.id < span.after
      limit 1
    ) as t
  )`
  return sql<WithTotal<KeyedRow> & { readonly cut: boolean }>`
    with whole as materialized (
      select b.company_id, ${ids.before} as before, ${ids.after} as after
      from ${sql.cell}.balance as b
      where ${ofFilterCompany(sql, filter, "b")}
    ),
    newest as materialized (
      select ${belowNewest(sql, sql`(w.after - 1)`, newest_max)} as before
      from (select max(after) as after from whole) as w
    ),
    span as materialized (
      select w.company_id, greatest(w.before, n.before) as before, w.after, w.before as whole_before
      from whole as w
      cross join newest as n
    ),
    matched as materialized (
      select t.*
      from span
      cross join lateral (
        select t.company_id, t.id from ${sql.cell}.transaction as t where ${sql.and(narrowed)} offset 0
      ) as t
    )
    ${shownOf(sql, page, cut)}`
}
