import { type PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Stream } from "effect"
import type { CaseKind } from "../../../core/domain/Case.ts"
import type { Environment } from "../../../core/domain/Company.ts"
import type { ProviderName } from "../../../core/domain/ProviderStatement.ts"
import type { NamedCell } from "../connection/Cell.ts"
import { mainNode } from "../connection/Nodes.ts"
import { instant } from "../connection/Sql.ts"

/** SQL that compares the lines of a provider's statement with the sales, in temporary tables. */

/** The time span of a comparison: `since` inclusive, `until` exclusive. */
export interface Span {
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
}

export const makeTables = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  yield* sql`
    create temp table compared_line (
      line int not null,
      xid text,
      external_id text,
      status text not null,
      amount bigint,
      since timestamptz,
      until timestamptz
    ) on commit drop`
  yield* sql`
    create temp table compared_sale (
      xid text not null,
      company_id bigint not null,
      id bigint not null,
      status text not null,
      amount bigint not null,
      created_at timestamptz not null,
      auth_code text
    ) on commit drop`
  yield* sql`create temp table compared_pair (line int not null, company_id bigint not null, id bigint not null) on commit drop`
  yield* sql`
    create temp table compared_difference (
      kind text not null,
      reference text not null,
      external_id text,
      company_id bigint,
      transaction_id bigint,
      our_status text,
      our_amount bigint,
      our_at timestamptz,
      their_status text,
      their_amount bigint,
      their_at timestamptz,
      lines int not null,
      line int
    ) on commit drop`
})

/** Number of sales from another node that one SQL statement writes. */
const copied_max = 2_000

/** Largest difference between the date of a sale and the date of its line. */
const apart_max = { days: 2 }

/**
 * Reads a cell's sales of the time span, except the sales of insurance. An xid that was sold again after a failure counts
 * once, with the sale that did not fail or the newest sale. The query finds the sales by the times of their blocks, because
 * the index of creation times is coarse.
 */
export const readSales = Effect.fnUntraced(function* (
  into: PgClient.PgClient,
  { node, sql }: NamedCell,
  environment: Environment,
  { since, until }: Span
) {
  const first = instant(DateTime.subtract(since, apart_max))
  const end = instant(DateTime.add(until, apart_max))
  const sales = sql`
    select distinct on (t.xid) t.xid, t.company_id, t.id,
      case t.status when 'PROCESSING' then 'PENDING' else t.status end as status, t.amount, t.created_at, t.auth_code
    from (
      select o.company_id, o.first_id, o.last_id
      from ${sql.cell}.block as o
      where o.list = 'sale' and o.latest >= ${first} and o.earliest < ${end}
      union all
      select b.company_id, b.listed_to + 1, 9223372036854775807
      from ${sql.cell}.balance as b
      where b.sales > b.sales_listed
    ) as o
    cross join lateral (
      select *
      from ${sql.cell}.transaction as t
      where t.company_id = o.company_id and t.id between o.first_id and o.last_id
      offset 0
    ) as t
    where t.environment = ${environment}
      and t.service_type <> 'insurance'
      and t.created_at >= ${first}
      and t.created_at < ${end}
    order by t.xid, t.status = 'FAILED', t.id desc`
  if (node === mainNode) return yield* into`insert into pg_temp.compared_sale ${sales}`
  // The temporary tables exist only in the session on the node main, so the rows are copied there.
  yield* sql<{ sale: unknown }>`select to_jsonb(s) as sale from (${sales}) as s`.stream.pipe(
    Stream.grouped(copied_max),
    Stream.runForEach(
      (rows) => into`
        insert into pg_temp.compared_sale
        select *
        from jsonb_to_recordset(${PgTypes.jsonb(rows.map(({ sale }) => sale))}) as s(
          xid text, company_id bigint, id bigint, status text, amount bigint, created_at timestamptz, auth_code text
        )`
    )
  )
})

/** Gives the planner the statistics of the lines and the sales. */
export const analyzeTables = (sql: PgClient.PgClient) => sql`analyze pg_temp.compared_line, pg_temp.compared_sale`

/**
 * Pairs each sale with at most one line: by the xid and, for the rest, by the provider's id. If lines repeat an xid, the
 * line that agrees with the sale is its pair. A provider's id pairs only if no other line and no other sale has it.
 */
export const pairLines = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  yield* sql`
    insert into pg_temp.compared_pair
    select line, company_id, id
    from (
      select l.line, s.company_id, s.id, row_number() over (
        partition by s.xid
        order by (l.status, l.amount) is distinct from (s.status, s.amount), l.line
      ) as n
      from pg_temp.compared_line as l
      join pg_temp.compared_sale as s on s.xid = l.xid
    ) as ranked
    where n = 1`
  yield* sql`analyze pg_temp.compared_pair`
  yield* sql`
    with line as (
      select l.line, l.external_id
      from pg_temp.compared_line as l
      where l.external_id is not null and not exists (select from pg_temp.compared_sale as s where s.xid = l.xid)
    ),
    sale as (
      select s.company_id, s.id, s.xid, s.auth_code
      from pg_temp.compared_sale as s
      where not exists (
        select from pg_temp.compared_pair as p where p.company_id = s.company_id and p.id = s.id
      )
    ),
    candidate as (
      select l.line, s.company_id, s.id from line as l join sale as s on s.auth_code = l.external_id
      union
      select l.line, s.company_id, s.id from line as l join sale as s on s.xid = l.external_id
    )
    insert into pg_temp.compared_pair
    select line, company_id, id
    from (
      select line, company_id, id, count(*) over (partition by line) as sales,
        count(*) over (partition by company_id, id) as lines
      from candidate
    ) as counted
    where sales = 1 and lines = 1`
  yield* sql`analyze pg_temp.compared_pair`
})

/**
 * Writes the differences of the time span, and counts them and the pairs without a difference. A refused sale
 * that only one side has is not a difference, because it costs nothing. If both sides refused a sale,
 * different amounts are not a difference either.
 */
export const storeDifferences = Effect.fnUntraced(function* (sql: PgClient.PgClient, { since, until }: Span) {
  const soldInSpan = sql`(s.created_at >= ${instant(since)} and s.created_at < ${instant(until)})`
  const listedInSpan = sql`(l.since is null or (l.since < ${instant(until)} and l.until > ${instant(since)}))`
  const pairs = sql`
    pg_temp.compared_pair as p
    join pg_temp.compared_line as l on l.line = p.line
    join pg_temp.compared_sale as s on s.company_id = p.company_id and s.id = p.id
    cross join lateral (
      select l.status <> s.status as status,
        coalesce(l.amount <> s.amount and (l.status, s.status) <> ('FAILED', 'FAILED'), false) as amount
    ) as other`
  yield* sql`
    insert into pg_temp.compared_difference
    select k.kind, s.xid, l.external_id, s.company_id, s.id, s.status, s.amount, s.created_at, l.status, l.amount,
      l.since, 1, l.line
    from ${pairs}
    cross join lateral (values ('otro_monto', other.amount), ('otro_estado', other.status)) as k(kind, differs)
    where k.differs and (${soldInSpan} or ${listedInSpan})
    union all
    select 'solo_nuestro', s.xid, null, s.company_id, s.id, s.status, s.amount, s.created_at, null, null, null, 0, null
    from pg_temp.compared_sale as s
    where s.status <> 'FAILED'
      and ${soldInSpan}
      and not exists (select from pg_temp.compared_pair as p where p.company_id = s.company_id and p.id = s.id)`
  yield* sql`
    insert into pg_temp.compared_difference
    select distinct on (reference) 'solo_suyo', reference, l.external_id, s.company_id, s.id, null, null, null,
      l.status, l.amount, l.since, count(*) over (partition by reference), l.line
    from (
      select *, coalesce(xid, external_id) as reference
      from pg_temp.compared_line as l
      where l.status <> 'FAILED'
        and ${listedInSpan}
        and not exists (select from pg_temp.compared_pair as p where p.line = l.line)
    ) as l
    left join pg_temp.compared_sale as s on s.xid = l.xid
    order by reference, l.line`
  const [counts] = yield* sql<Readonly<Record<CaseKind | "matched", number>>>`
    select
      (
        select count(*)::int
        from ${pairs}
        where not other.status and not other.amount and (${soldInSpan} or ${listedInSpan})
      ) as matched,
      count(*) filter (where kind = 'solo_nuestro')::int as solo_nuestro,
      count(*) filter (where kind = 'solo_suyo')::int as solo_suyo,
      count(*) filter (where kind = 'otro_monto')::int as otro_monto,
      count(*) filter (where kind = 'otro_estado')::int as otro_estado
    from pg_temp.compared_difference`
  return counts ?? { matched: 0, solo_nuestro: 0, solo_suyo: 0, otro_monto: 0, otro_estado: 0 }
})

/** If one of these columns changes, a closed case opens again. */
const factColumns = ["our_status", "our_amount", "their_status", "their_amount", "lines"]

/** Stores a case for each difference, and marks earlier cases of the time span that are no longer found. */
export const storeCases = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  {
    at,
    file,
    provider,
    span: { since, until }
  }: { readonly provider: ProviderName; readonly file: string; readonly span: Span; readonly at: DateTime.Utc }
) {
  const facts = (row: string) => sql.literal(factColumns.map((column) => `${row}.${column}`).join(", "))
  const reopens = sql`c.state = 'cerrado' and (${facts("c")}) is distinct from (${facts("excluded")})`
  const [stored] = yield* sql<{ found: number; reopened: number }>`
    with stored as (
      insert into directory.statement_case as c (
        provider, kind, reference, external_id, company_id, transaction_id, our_status, our_amount, our_at, their_status,
        their_amount, their_at, lines, line, file, found_at, opened_at, seen_at
      )
      select ${provider}, kind, reference, external_id, company_id, transaction_id, our_status, our_amount, our_at,
        their_status, their_amount, their_at, lines, line, ${file}, ${instant(at)}, ${instant(at)}, ${instant(at)}
      from pg_temp.compared_difference
      order by line, reference
      on conflict (provider, kind, reference) do update
      set external_id = excluded.external_id,
        company_id = excluded.company_id,
        transaction_id = excluded.transaction_id,
        our_status = excluded.our_status,
        our_amount = excluded.our_amount,
        our_at = excluded.our_at,
        their_status = excluded.their_status,
        their_amount = excluded.their_amount,
        their_at = excluded.their_at,
        lines = excluded.lines,
        line = excluded.line,
        file = excluded.file,
        seen_at = excluded.seen_at,
        gone_at = null,
        state = case when ${reopens} then 'abierto' else c.state end,
        opened_at = case when ${reopens} then excluded.opened_at else c.opened_at end
      returning found_at = seen_at as found, opened_at = seen_at as opened
    )
    select count(*) filter (where found)::int as found, count(*) filter (where opened and not found)::int as reopened
    from stored`
  const gone = yield* sql`
    update directory.statement_case
    set gone_at = ${instant(at)}
    where provider = ${provider}
      and seen_at < ${instant(at)}
      and gone_at is null
      and coalesce(our_at, their_at) >= ${instant(since)}
      and coalesce(our_at, their_at) < ${instant(until)}
    returning id`
  return { found: stored?.found ?? 0, reopened: stored?.reopened ?? 0, gone: gone.length }
})
