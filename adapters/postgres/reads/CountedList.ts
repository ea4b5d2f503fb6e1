import type { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { instantsOf } from "../../../core/domain/LocalTime.ts"
import { type FrozenSlice, frozenAt, type ListFilter, type Page, type Slice } from "../../../core/domain/Page.ts"
import type { CellSql } from "../connection/Cell.ts"
import type { CompanyReads } from "../connection/CompanyReads.ts"
import { instant, int8 } from "../connection/Sql.ts"

/**
 * A list with rows that are counted in blocks. A block is a row of the table `block` that counts about 1,000 rows of the list.
 */
export interface CountedList {
  readonly list: "sale" | "entry"
  /** The column of the balance with the list's length. */
  readonly length: "sales" | "entries"
  readonly table: "transaction" | "entry"
  /** The columns to select, including `id`. */
  readonly columns: string
  /** Further columns, computed only for the rows of the page (alias `shown`). */
  readonly further?: (sql: CellSql) => Fragment
}

/** The filter of a list. */
export interface Narrowing {
  readonly companyId: CompanyId
  readonly filter: ListFilter
  /** A filter as SQL: its condition on a row `t`, and the stored count of matching rows in a block `o`. */
  readonly also?: { readonly row: string; readonly counted: string } | undefined
  /** A sublist of the sales, which has its own blocks. */
  readonly sublist?: Sublist | undefined
}

/** The sales that meet a condition on a row `t`, and the name of their sublist. */
export interface Sublist {
  readonly row: Fragment
  readonly name: Fragment
}

type Sql = CellSql
export type WithTotal<Row> = Row & { readonly id: bigint | null; readonly total: bigint }
type WithNewest<Row> = WithTotal<Row> & { readonly newest: bigint }

/**
 * Conditions of a filter: on rows, on blocks that may contain matching rows, and on blocks that contain only matching
 * rows.
 */
const conditions = (sql: Sql, { upTo, ...range }: ListFilter) => {
  const { since, until } = instantsOf(range)
  const limit = (condition: (id: PgTypes.Parameter) => Fragment) => (upTo === undefined ? [] : [condition(int8(upTo))])
  const both = (
    after: (at: PgTypes.Parameter) => Fragment,
    before: (at: PgTypes.Parameter) => Fragment
  ): ReadonlyArray<Fragment> => [
    ...(since === undefined ? [] : [after(instant(since))]),
    ...(until === undefined ? [] : [before(instant(until))])
  ]
  return {
    row: [
      ...both(
        (at) => sql`t.created_at >= ${at}`,
        (at) => sql`t.created_at < ${at}`
      ),
      ...limit((id) => sql`t.id <= ${id}`)
    ],
    overlapping: [
      ...both(
        (at) => sql`o.latest >= ${at}`,
        (at) => sql`o.earliest < ${at}`
      ),
      ...limit((id) => sql`o.first_id <= ${id}`)
    ],
    inside: [
      ...both(
        (at) => sql`o.earliest >= ${at}`,
        (at) => sql`o.latest < ${at}`
      ),
      ...limit((id) => sql`o.last_id <= ${id}`)
    ]
  }
}

/** Condition for a company's rows that pass the filter. */
export const ofCompany = (sql: Sql, companyId: CompanyId, filter: ListFilter): ReadonlyArray<Fragment> => [
  sql`t.company_id = ${int8(companyId)}`,
  ...conditions(sql, filter).row
]

/** The blocks of a list or sublist that may contain rows that pass the filter, as a table with its condition. */
export const blocksOf = (
  sql: Sql,
  list: CountedList["list"],
  { companyId, filter, sublist }: Pick<Narrowing, "companyId" | "filter" | "sublist">
) => ({
  table: sublist === undefined ? sql`${sql.cell}.block` : sql`${sql.cell}.sublist_block`,
  condition: sql.and([
    sql`o.company_id = ${int8(companyId)}`,
    sublist === undefined ? sql`o.list = ${sql.literal(`'${list}'`)}` : sql`o.sublist = ${sublist.name}`,
    ...conditions(sql, filter).overlapping
  ])
})

/** The number of rows before a page, and the number of rows up to the end of the page. */
export const boundsOf = ({ page, perPage }: Page) => ({
  skipped: int8(BigInt(page - 1) * BigInt(perPage)),
  reach: int8(BigInt(page) * BigInt(perPage))
})

/** The largest possible id. */
const idMax = int8(Number.MAX_SAFE_INTEGER)

/** The lowest id of a row that comes after the company's last block of about 1,000 rows. */
export const firstBeyond = (sql: Sql, list: CountedList["list"], companyId: CompanyId): Fragment => sql`
  coalesce(
    (
      select b.last_id
      from ${sql.cell}.block as b
      where b.company_id = ${int8(companyId)} and b.list = ${sql.literal(`'${list}'`)}
      order by b.first_id desc
      limit 1
    ),
    0
  ) + 1`

export const sliceOf = <Row>(rows: ReadonlyArray<WithTotal<Row>>): Slice<Row> => ({
  items: rows.filter(({ id }) => id !== null),
  total: Number(rows[0]?.total ?? 0)
})

/** The id of the company's newest row. 0 if there is none. */
const newestOf = (sql: Sql, { table }: CountedList, companyId: CompanyId): Fragment => sql`
  coalesce(
    (select t.id from ${sql.cell}.${sql.literal(table)} as t where t.company_id = ${int8(companyId)} order by t.id desc limit 1),
    0
  )`

const frozenSliceOf = <Row>(filter: ListFilter, rows: ReadonlyArray<WithNewest<Row>>): FrozenSlice<Row> => ({
  ...sliceOf(rows),
  upTo: frozenAt(filter, Number(rows[0]?.newest ?? 0))
})

/** The further columns of the rows of a page, each after a comma. */
export const furtherOf = (sql: Sql, { further }: CountedList): Fragment =>
  further === undefined ? sql.literal("") : sql`, ${further(sql)}`

/** Length of the unfiltered list, and the number of rows after the list's last block. */
const wholeOf = (sql: Sql, { length }: CountedList, companyId: CompanyId) => {
  const ofBalance = (value: string) =>
    sql`coalesce((select ${sql.literal(value)} from ${sql.cell}.balance as b where b.company_id = ${int8(companyId)}), 0)`
  return { total: ofBalance(`b.${length}`), beyond: ofBalance(`b.${length} - b.${length}_listed`) }
}

/** SQL for the number of `rows` in each block `o`, after the last block, and in total. */
const countsOf = (sql: Sql, counted: CountedList, { also, companyId, filter, sublist }: Narrowing, rows: Fragment) => {
  const { inside } = conditions(sql, filter)
  const countedRows = sql`(select count(*) ${rows})`
  const known = sql.literal(also?.counted ?? "o.members")
  const narrowed = {
    total: sql`((select n from beyond) + (select coalesce(sum(n), 0) from counted))`,
    beyond: countedRows
  }
  return {
    ofBlock: inside.length === 0 ? known : sql`case when ${sql.and(inside)} then ${known} else ${countedRows} end`,
    // The counts of blocks are cheap to compute twice. Counts of single rows are not, so they are materialized.
    kept: sql.literal(inside.length === 0 ? "not materialized" : "materialized"),
    ...(also === undefined && sublist === undefined && inside.length === 0
      ? wholeOf(sql, counted, companyId)
      : narrowed)
  }
}

/**
 * A page of a list of any length, newest first, and the length of the list, both at one instant.
 *
 * The table `block` has one row for every thousand rows of the list. The query adds up the blocks between the newest row and
 * the page. From the list itself it reads the page and at most one more block. A filtered list is counted by blocks too.
 * Rows are counted one by one only after the last block, and in blocks that a date range or `hasta_id` cuts.
 *
 * Each selected block contains a row of the page, so there are at most as many blocks as rows.
 */
export const pageOfCounted = <Row extends object>(
  sql: Sql,
  reads: CompanyReads,
  counted: CountedList,
  narrowing: Narrowing,
  page: Page
): Effect.Effect<FrozenSlice<Row>> => {
  const { also, companyId, filter, sublist } = narrowing
  const { columns, list, table } = counted
  const { reach, skipped } = boundsOf(page)
  const rows = sql`from ${sql.cell}.${sql.literal(table)} as t where ${sql.and([
    ...ofCompany(sql, companyId, filter),
    sql`t.id between o.first_id and o.last_id`,
    ...(also === undefined ? [] : [sql.literal(also.row)]),
    ...(sublist === undefined ? [] : [sublist.row])
  ])}`
  const blocks = blocksOf(sql, list, narrowing)
  const { beyond, kept, ofBlock, total } = countsOf(sql, counted, narrowing, rows)
  // `offset 0` makes the planner find the end of the last block before it counts. The planner then expects few rows after
  // this block, and reads them through an index.
  return Effect.orDie(
    Effect.map(
      reads(companyId)<WithNewest<Row>>`
        with counted as ${kept} (
          select
            o.first_id,
            o.last_id,
            ${ofBlock} as n
          from ${blocks.table} as o
          where ${blocks.condition}
        ),
        beyond as materialized (
          select o.first_id, o.last_id, ${beyond} as n
          from (select ${firstBeyond(sql, list, companyId)} as first_id, ${idMax} as last_id offset 0) as o
        ),
        placed as (
          select first_id, last_id, n, n as upto from beyond where n > ${skipped}
          union all
          (
            select *
            from (
              select
                first_id,
                last_id,
                n,
                ((select n from beyond) + sum(n) over (order by first_id desc rows unbounded preceding))::bigint as upto
              from counted
              where n > 0
            ) as b
            where upto > ${skipped}
            order by first_id desc
            limit ${page.perPage}
          )
        )
        select whole.total, whole.newest, shown.*${furtherOf(sql, counted)}
        from (select ${total}::bigint as total, ${newestOf(sql, counted, companyId)} as newest) as whole
        left join (
          select r.*
          from placed as o
          cross join lateral (
            select ${sql.literal(columns)}
            ${rows}
            order by t.id desc
            offset greatest(${skipped} - (o.upto - o.n), 0)
            limit least(o.upto, ${reach}) - greatest(o.upto - o.n, ${skipped})
          ) as r
          where o.upto - o.n < ${reach}
        ) as shown on true
        order by shown.id desc`,
      (rows) => frozenSliceOf(filter, rows)
    )
  )
}

/** A page of a few rows that an index finds. `found` selects their ids. */
export const pageOfFound = <Row extends object>(
  sql: Sql,
  reads: CompanyReads,
  counted: CountedList,
  { companyId, filter }: Narrowing,
  found: Fragment,
  page: Page
): Effect.Effect<FrozenSlice<Row>> =>
  Effect.orDie(
    Effect.map(
      reads(companyId)<WithNewest<Row>>`
        with found as materialized (${found})
        select whole.total, whole.newest, shown.*${furtherOf(sql, counted)}
        from (select count(*) as total, ${newestOf(sql, counted, companyId)} as newest from found) as whole
        left join (
          select ${sql.literal(counted.columns)}
          from ${sql.cell}.${sql.literal(counted.table)} as t
          where t.company_id = ${int8(companyId)}
            and t.id in (
              select id
              from found
              order by id desc
              offset ${boundsOf(page).skipped}
              limit ${page.perPage}
            )
        ) as shown on true
        order by shown.id desc`,
      (rows) => frozenSliceOf(filter, rows)
    )
  )
