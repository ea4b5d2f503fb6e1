import { type DateTime, Effect, Layer, Option, Schema, Stream } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { type Closing, contentOf, DayFigures } from "../../../core/domain/Closing.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import type { DayRange } from "../../../core/domain/LocalTime.ts"
import type { Page } from "../../../core/domain/Page.ts"
import { Closings, type CompanyDay } from "../../../core/ports/Closings.ts"
import { cellClient } from "../connection/Cell.ts"
import { companyReads } from "../connection/CompanyReads.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { transientRetry } from "../connection/SqlFailure.ts"

interface ClosingRow {
  readonly content: string
  readonly seal: string
}

interface CompanyDayRow {
  readonly company_id: bigint
  readonly day: string
}

/** A row of a page. For an empty page, the query returns one row without content. */
interface PageRow {
  readonly content: string | null
  readonly seal: string | null
  readonly total: bigint
}

const closingOf = ({ content, seal }: ClosingRow): Closing => ({ text: content, content: contentOf(content), seal })

const figuresOf = Schema.decodeUnknownSync(DayFigures)

const columns = "c.content, encode(c.seal, 'hex') as seal"

/** Number of closings that are read with one query while a list is streamed. */
const part = 200

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const reads = yield* companyReads

  const within = ({ from, to }: DayRange): ReadonlyArray<Fragment> => [
    ...(from === undefined ? [] : [sql`c.day >= ${from}::date`]),
    ...(to === undefined ? [] : [sql`c.day <= ${to}::date`])
  ]

  const ofCompany = (companyId: CompanyId, days: DayRange): Fragment =>
    sql.and([sql`c.company_id = ${int8(companyId)}`, ...within(days)])

  /** A page of the closings that meet the condition, newest day first, with the number of all of them. */
  const pageWhere = (condition: Fragment, page: Page) => {
    const skipped = int8(BigInt(page.page - 1) * BigInt(page.perPage))
    return sql`
      select p.content, p.seal, n.total
      from (select count(*) as total from ${sql.cell}.closing as c where ${condition}) as n
      left join lateral (
        select ${sql.literal(columns)}, c.day, c.company_id
        from ${sql.cell}.closing as c
        where ${condition}
        order by c.day desc, c.company_id
        limit ${page.perPage}
        offset ${skipped}
      ) as p on true
      order by p.day desc, p.company_id`
  }

  const sliceOf = (rows: ReadonlyArray<PageRow>) => ({
    items: rows.flatMap(({ content, seal }) =>
      content === null || seal === null ? [] : [closingOf({ content, seal })]
    ),
    total: Number(rows[0]?.total ?? 0n)
  })

  const foundIn = (rows: ReadonlyArray<ClosingRow>) => Option.map(Option.fromUndefinedOr(rows[0]), closingOf)

  const unclosed = sql<CompanyDayRow>`
    select n.company_id, n.day::text as day
    from (
      select b.company_id, ${sql.cell}.next_closing(b.company_id) as day from ${sql.cell}.balance as b where b.entries > 0
    ) as n
    order by n.day, n.company_id`.pipe(
    Effect.map((rows) => ({
      days: rows.map(({ company_id, day }) => ({ companyId: CompanyId.make(Number(company_id)), day })),
      isComplete: true
    })),
    Effect.orDie
  )

  const hasPassed = Effect.fnUntraced(function* (at: DateTime.Utc) {
    const [row] = yield* Effect.orDie(sql<{ passed: boolean }>`select clock_timestamp() >= ${instant(at)} as passed`)
    return row?.passed === true
  })

  const end = Effect.fnUntraced(function* ({ companyId, day }: CompanyDay) {
    const [row] = yield* sql<{ ended: boolean }>`
      select ${sql.cell}.end_day(${int8(companyId)}, ${day}::date) as ended`.pipe(
      Effect.retry(transientRetry),
      Effect.orDie
    )
    return row?.ended === true
  })

  const figures = Effect.fnUntraced(function* ({ companyId, day }: CompanyDay) {
    const [row] = yield* Effect.orDie(
      sql<{ figures: unknown }>`select ${sql.cell}.day_figures(${int8(companyId)}, ${day}::date) as figures`
    )
    return row?.figures == null ? null : figuresOf(row.figures)
  })

  const add = Effect.fnUntraced(function* ({ companyId, day }: CompanyDay, text: string) {
    const [row] = yield* sql<{ added: boolean }>`
      select ${sql.cell}.add_closing(${int8(companyId)}, ${day}::date, ${text}) as added`.pipe(
      Effect.retry(transientRetry),
      Effect.orDie
    )
    return row?.added === true
  })

  const before = ({ companyId, day }: CompanyDay) =>
    sql<ClosingRow>`
      select ${sql.literal(columns)}
      from ${sql.cell}.closing as c
      where c.company_id = ${int8(companyId)} and c.day < ${day}::date
      order by c.day desc
      limit 1`.pipe(Effect.map(foundIn), Effect.orDie)

  const find = ({ companyId, day }: CompanyDay) =>
    reads(companyId)<ClosingRow>`
      select ${sql.literal(columns)}
      from ${sql.cell}.closing as c
      where ${ofCompany(companyId, { from: day, to: day })}`.pipe(Effect.map(foundIn), Effect.orDie)

  const list = (companyId: CompanyId, days: DayRange, page: Page) =>
    reads(companyId)<PageRow>`${pageWhere(ofCompany(companyId, days), page)}`.pipe(Effect.map(sliceOf), Effect.orDie)

  const all = (companyId: CompanyId, days: DayRange) =>
    Stream.paginate(
      days,
      Effect.fnUntraced(function* (left: DayRange) {
        const rows = yield* Effect.orDie(reads(companyId)<ClosingRow & { readonly day_before: string }>`
          select ${sql.literal(columns)}, (c.day - 1)::text as day_before
          from ${sql.cell}.closing as c
          where ${ofCompany(companyId, left)}
          order by c.day desc
          limit ${part}`)
        const last = rows.length < part ? undefined : rows.at(-1)
        const rest = Option.map(Option.fromUndefinedOr(last), ({ day_before }) => ({ ...left, to: day_before }))
        return [rows.map(closingOf), rest] as const
      })
    )

  const chains = Stream.paginate(
    { company: 0n, day: "0001-01-01" },
    Effect.fnUntraced(function* ({ company, day }) {
      const rows = yield* Effect.orDie(sql<ClosingRow & CompanyDayRow>`
        select ${sql.literal(columns)}, c.company_id, c.day::text as day
        from ${sql.cell}.closing as c
        where (c.company_id, c.day) > (${int8(company)}, ${day}::date)
        order by c.company_id, c.day
        limit ${part}`)
      const last = rows.length < part ? undefined : rows.at(-1)
      const rest = Option.map(Option.fromUndefinedOr(last), (row) => ({ company: row.company_id, day: row.day }))
      return [rows.map(closingOf), rest] as const
    })
  )

  const ofCompanies = (companyId: CompanyId | undefined, days: DayRange, page: Page) => {
    const conditions = [...(companyId === undefined ? [] : [sql`c.company_id = ${int8(companyId)}`]), ...within(days)]
    const condition = conditions.length === 0 ? sql`true` : sql.and(conditions)
    return sql<PageRow>`${pageWhere(condition, page)}`.pipe(Effect.map(sliceOf), Effect.orDie)
  }

  return Closings.of({
    hasPassed,
    unclosed,
    end,
    figures,
    add,
    before,
    find,
    list,
    all,
    chains,
    ofCompanies
  })
})

/** `Closings` in Postgres, through sql/functions/closing.sql. */
export const layer = Layer.effect(Closings, make)
