import { type PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { CompanyId } from "../../core/domain/Ids.ts"
import { type DayRange, instantsOf } from "../../core/domain/LocalTime.ts"
import type { Page, Slice } from "../../core/domain/Transaction.ts"
import type { CompanyReads } from "./CompanyReads.ts"

/** A list that cell.block counts. */
export interface CountedList {
  readonly list: "sale" | "entry"
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

const int8 = (value: bigint | number) => PgTypes.int8(BigInt(value))
const instant = (sql: Sql, at: DateTime.Utc) => sql`${DateTime.formatIso(at)}::timestamptz`

/** Conditions on when rows were made, and on blocks that may hold such rows, or hold no others. */
const conditions = (sql: Sql, range: DayRange) => {
  const { since, until } = instantsOf(range)
  const both = (after: (at: Fragment) => Fragment, before: (at: Fragment) => Fragment): ReadonlyArray<Fragment> => [
    ...(since === undefined ? [] : [after(instant(sql, since))]),
    ...(until === undefined ? [] : [before(instant(sql, until))])
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

export const sliceOf = <Row>(rows: ReadonlyArray<Totalled<Row>>): Slice<Row> => ({
  items: rows.filter(({ id }) => id !== null),
  total: Number(rows[0]?.total ?? 0)
})

/**
 * A page of a list of any length, newest first, and how long the list is, as of one instant. It reads one row of
 * cell.block for every thousand rows of the list, once for the total and once from the newest down to the page, and of the
 * list itself the rows of the page and at most a block beside them; where a range of days begins or ends inside a block,
 * that block is counted by hand. Each block that is looked for has a row of the page, so there are no more than its rows.
 */
export const pageOfCounted = <Row extends object>(
  sql: Sql,
  reads: CompanyReads,
  { columns, list, table }: CountedList,
  { also, companyId, range }: Narrowing,
  { page, perPage }: Page
): Effect.Effect<Slice<Row>> => {
  const skipped = BigInt(page - 1) * BigInt(perPage)
  const { inside } = conditions(sql, range)
  const rows = sql`from ${sql.literal(table)} as t where ${sql.and([
    ...ofCompany(sql, companyId, range),
    sql`t.id between o.first_id and o.last_id`,
    ...(also === undefined ? [] : [sql.literal(also.row)])
  ])}`
  const counted = sql.literal(also?.counted ?? "o.members")
  // What blocks say is read again sooner than kept; what was counted by hand is kept.
  const kept = sql.literal(inside.length === 0 ? "not materialized" : "materialized")
  return Effect.orDie(
    Effect.map(
      reads(companyId)<Totalled<Row>>`
        with counted as ${kept} (
          select
            o.first_id,
            o.last_id,
            ${inside.length === 0 ? counted : sql`case when ${sql.and(inside)} then ${counted} else (select count(*) ${rows}) end`} as n
          from cell.block as o
          where ${blocksOf(sql, list, companyId, range)}
        ),
        placed as (
          select *
          from (
            select first_id, last_id, n, (sum(n) over (order by first_id desc rows unbounded preceding))::bigint as upto
            from counted
            where n > 0
          ) as b
          where upto > ${int8(skipped)}
          order by first_id desc
          limit ${int8(BigInt(perPage))}
        )
        select whole.total, shown.*
        from (select coalesce(sum(n), 0)::bigint as total from counted) as whole
        left join (
          select r.*
          from placed as o
          cross join lateral (
            select ${sql.literal(columns)}
            ${rows}
            order by t.id desc
            offset greatest(${int8(skipped)} - (o.upto - o.n), 0)
            limit least(o.upto, ${int8(skipped + BigInt(perPage))}) - greatest(o.upto - o.n, ${int8(skipped)})
          ) as r
          where o.upto - o.n < ${int8(skipped + BigInt(perPage))}
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
  { page, perPage }: Page
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
              offset ${int8(BigInt(page - 1) * BigInt(perPage))}
              limit ${perPage}
            )
        ) as shown on true
        order by shown.id desc`,
      sliceOf
    )
  )
