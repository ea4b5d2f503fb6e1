import type { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { CompanyId } from "../../core/domain/Ids.ts"
import { type DayRange, instantsOf } from "../../core/domain/LocalTime.ts"
import type { Page, Slice } from "../../core/domain/Page.ts"
import type { CompanyReads } from "./CompanyReads.ts"
import { instant, int8 } from "./Parameters.ts"

/** A list that cell.block counts. */
export interface CountedList {
  readonly list: "sale" | "entry"
  /** What its length is called in cell.balance. */
  readonly length: "sales" | "entries"
  readonly table: "cell.transaction" | "cell.entry"
  /** What a page shows of a row, `id` among it. */
  readonly columns: string
}

/** Which rows of a list to show. */
export interface Narrowing {
  readonly companyId: CompanyId
  readonly range: DayRange
  /** What a row `t` must also fulfil, and how many of a block `o` do. */
  readonly also?: { readonly row: string; readonly counted: string } | undefined
}

type Sql = PgClient.PgClient
export type Totalled<Row> = Row & { readonly id: bigint | null; readonly total: bigint }

/** Conditions on when rows were made, and on blocks that may hold such rows, or hold no others. */
const conditions = (sql: Sql, range: DayRange) => {
  const { since, until } = instantsOf(range)
  const both = (
    after: (at: PgTypes.Parameter) => Fragment,
    before: (at: PgTypes.Parameter) => Fragment
  ): ReadonlyArray<Fragment> => [
    ...(since === undefined ? [] : [after(instant(since))]),
    ...(until === undefined ? [] : [before(instant(until))])
  ]
  return {
    row: both(
      (at) => sql`t.created_at >= ${at}`,
      (at) => sql`t.created_at < ${at}`
    ),
    overlapping: both(
      (at) => sql`o.latest >= ${at}`,
      (at) => sql`o.earliest < ${at}`
    ),
    inside: both(
      (at) => sql`o.earliest >= ${at}`,
      (at) => sql`o.latest < ${at}`
    )
  }
}

/** Rows of a company that were made within the range. */
export const ofCompany = (sql: Sql, companyId: CompanyId, range: DayRange): ReadonlyArray<Fragment> => [
  sql`t.company_id = ${int8(companyId)}`,
  ...conditions(sql, range).row
]

/** Blocks of a company's list that may hold rows of the range. */
export const blocksOf = (sql: Sql, list: CountedList["list"], companyId: CompanyId, range: DayRange): Fragment =>
  sql.and([
    sql`o.company_id = ${int8(companyId)}`,
    sql`o.list = ${sql.literal(`'${list}'`)}`,
    ...conditions(sql, range).overlapping
  ])

/** How many rows stand before a page, and how many do up to its end. */
export const boundsOf = ({ page, perPage }: Page) => ({
  skipped: int8(BigInt(page - 1) * BigInt(perPage)),
  reach: int8(BigInt(page) * BigInt(perPage))
})

/** As far as ids go. */
const idMax = int8(Number.MAX_SAFE_INTEGER)

/** The id from which on a company's list is in no block yet. */
export const firstBeyond = (sql: Sql, list: CountedList["list"], companyId: CompanyId): Fragment => sql`
  coalesce(
    (
      select b.last_id
      from cell.block as b
      where b.company_id = ${int8(companyId)} and b.list = ${sql.literal(`'${list}'`)}
      order by b.first_id desc
      limit 1
    ),
    0
  ) + 1`

export const sliceOf = <Row>(rows: ReadonlyArray<Totalled<Row>>): Slice<Row> => ({
  items: rows.filter(({ id }) => id !== null),
  total: Number(rows[0]?.total ?? 0)
})

/** What a list's total and the part of it that is in no block yet are, for whoever asks for all of it. */
const wholeOf = (sql: Sql, { length }: CountedList, companyId: CompanyId) => {
  const ofBalance = (value: string) =>
    sql`coalesce((select ${sql.literal(value)} from cell.balance as b where b.company_id = ${int8(companyId)}), 0)`
  return { total: ofBalance(`b.${length}`), beyond: ofBalance(`b.${length} - b.${length}_listed`) }
}

/** What of the `rows` each block `o` holds, what is beyond the last one, and their total. */
const countsOf = (sql: Sql, counted: CountedList, { also, companyId, range }: Narrowing, rows: Fragment) => {
  const { inside } = conditions(sql, range)
  const countedRows = sql`(select count(*) ${rows})`
  const known = sql.literal(also?.counted ?? "o.members")
  const narrowed = {
    total: sql`((select n from beyond) + (select coalesce(sum(n), 0) from counted))`,
    beyond: countedRows
  }
  return {
    ofBlock: inside.length === 0 ? known : sql`case when ${sql.and(inside)} then ${known} else ${countedRows} end`,
    // The counts of blocks are cheap to read again; rows that were counted one by one are not.
    kept: sql.literal(inside.length === 0 ? "not materialized" : "materialized"),
    ...(also === undefined && inside.length === 0 ? wholeOf(sql, counted, companyId) : narrowed)
  }
}

/**
 * A page of a list of any length, newest first, and how long the list is, as of one instant. Of cell.block it reads a
 * row for every thousand rows from the newest down to the page, and of the list itself the rows of the page and at most
 * a block beside them. A list that is narrowed is counted by its blocks; by hand where a range of days begins or ends
 * inside one, and beyond the last one. Each block that is looked for has a row of the page, so there are no more than
 * its rows.
 */
export const pageOfCounted = <Row extends object>(
  sql: Sql,
  reads: CompanyReads,
  counted: CountedList,
  narrowing: Narrowing,
  page: Page
): Effect.Effect<Slice<Row>> => {
  const { also, companyId, range } = narrowing
  const { columns, list, table } = counted
  const { reach, skipped } = boundsOf(page)
  const rows = sql`from ${sql.literal(table)} as t where ${sql.and([
    ...ofCompany(sql, companyId, range),
    sql`t.id between o.first_id and o.last_id`,
    ...(also === undefined ? [] : [sql.literal(also.row)])
  ])}`
  const { beyond, kept, ofBlock, total } = countsOf(sql, counted, narrowing, rows)
  // Where the last block ends is found before anything is counted (offset 0): the planner then takes what is beyond it
  // to be short, and reads it by an index.
  return Effect.orDie(
    Effect.map(
      reads(companyId)<Totalled<Row>>`
        with counted as ${kept} (
          select
            o.first_id,
            o.last_id,
            ${ofBlock} as n
          from cell.block as o
          where ${blocksOf(sql, list, companyId, range)}
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
        select whole.total, shown.*
        from (select ${total}::bigint as total) as whole
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
      sliceOf
    )
  )
}

/** The same of rows that an index finds, and that are few: `found` selects their ids. */
export const pageOfFound = <Row extends object>(
  sql: Sql,
  reads: CompanyReads,
  { columns, table }: CountedList,
  companyId: CompanyId,
  found: Fragment,
  page: Page
): Effect.Effect<Slice<Row>> =>
  Effect.orDie(
    Effect.map(
      reads(companyId)<Totalled<Row>>`
        with found as materialized (${found})
        select whole.total, shown.*
        from (select count(*) as total from found) as whole
        left join (
          select ${sql.literal(columns)}
          from ${sql.literal(table)} as t
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
      sliceOf
    )
  )
