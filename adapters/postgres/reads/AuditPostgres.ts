import { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Struct } from "effect"
import type { Invariant } from "../../../core/domain/Invariants.ts"
import type { LastAudit } from "../../../core/domain/Panorama.ts"
import { Audit } from "../../../core/ports/Audit.ts"
import { ReportProgress } from "../../../core/ports/Progress.ts"
import { cellClient } from "../connection/Cell.ts"
import { inOneSnapshot, instant, int8 } from "../connection/Sql.ts"
import { closingQueries } from "./ClosingAudit.ts"
import { insuranceQueries } from "./InsuranceAudit.ts"

/** How many violating rows are shown for each invariant. */
const offenders_max = 5

/**
 * For each invariant, a query for the rows that violate it. Each query reads its tables once. The search path of the
 * session is the cell.
 */
export const violationQueries: Record<Invariant, string> = {
  owned: `
    select company_id, coalesce(b.owned, 0) as owned_centavos, coalesce(e.total, 0) as ledger_centavos
    from balance as b
    full join (select company_id, sum(amount) as total from entry group by company_id) as e using (company_id)
    where coalesce(b.owned, 0) <> coalesce(e.total, 0)`,

  held: `
    select company_id, coalesce(b.held, 0) as held_centavos, coalesce(t.total, 0) as sales_centavos
    from balance as b
    full join (
      select company_id, sum(amount) as total
      from transaction
      where status in ('PROCESSING', 'PENDING')
      group by company_id
    ) as t using (company_id)
    where coalesce(b.held, 0) <> coalesce(t.total, 0)`,

  available: `
    select company_id, available as available_centavos, held as held_centavos
    from balance
    where available < 0 or held < 0`,

  consumption: `
    select company_id, day, coalesce(c.total, 0) as consumption_centavos, coalesce(t.total, 0) as sales_centavos
    from consumption as c
    full join (
      select company_id, day, sum(amount) as total
      from transaction
      where status in ('SUCCESS', 'PROCESSING', 'PENDING')
      group by company_id, day
    ) as t using (company_id, day)
    where coalesce(c.total, 0) <> coalesce(t.total, 0)`,

  xid: `
    select company_id, xid, count(*) as sales
    from transaction
    where status <> 'FAILED'
    group by company_id, xid
    having count(*) > 1`,

  sale: `
    select t.company_id, t.id as transaction_id, t.amount as amount_centavos, e.entries, e.total as ledger_centavos
    from transaction as t
    left join (
      select company_id, transaction_id, count(*) as entries, sum(amount) as total
      from entry
      where transaction_id is not null
      group by company_id, transaction_id
    ) as e on e.company_id = t.company_id and e.transaction_id = t.id
    where t.status = 'SUCCESS' and (e.entries, e.total) is distinct from (1, -t.amount)`,

  reversal: `
    select t.company_id, t.id as transaction_id, t.amount as amount_centavos, e.charged as charged_centavos,
      e.returned as returned_centavos
    from transaction as t
    left join (
      select
        company_id,
        transaction_id,
        count(*) as entries,
        sum(amount) filter (where type = 'sale') as charged,
        sum(amount) filter (where type = 'reversal') as returned
      from entry
      where transaction_id is not null
      group by company_id, transaction_id
    ) as e on e.company_id = t.company_id and e.transaction_id = t.id
    where t.status = 'REVERSED'
      and (e.entries, e.charged, e.returned) is distinct from (2, -t.amount, t.amount)`,

  confirmed: `
    select company_id, transaction_id, t.status, coalesce(v.reversals, 0) as confirmed_reversals
    from (select company_id, id as transaction_id, status from transaction where status = 'REVERSED') as t
    full join (
      select company_id, transaction_id, count(*) as reversals
      from reversal
      where status = 'CONFIRMED'
      group by company_id, transaction_id
    ) as v using (company_id, transaction_id)
    where t.status is null or v.reversals is distinct from 1`,

  entry: `
    select e.company_id, e.id as entry_id, e.type, e.transaction_id, t.status
    from entry as e
    left join transaction as t on t.company_id = e.company_id and t.id = e.transaction_id
    where e.transaction_id is not null
      and (t.status is null or t.status not in ('SUCCESS', 'REVERSED'))`,

  funded: `
    select coalesce(e.company_id, p.company_id) as company_id, e.id as entry_id, e.type, p.number as proposal
    from (select * from entry where type in ('deposit', 'adjustment')) as e
    full join (select * from funding_proposal where state = 'confirmed') as p
      on p.company_id = e.company_id and p.entry_id = e.id
    left join adjustment as r on r.company_id = e.company_id and r.reference = e.reference
    where (
      case
        when p.number is null then e.type = 'deposit' or r.reference is not null
        else (p.kind, p.amount, p.reference) = (e.type, e.amount, e.reference) and p.decided_by <> p.proposed_by
      end
    ) is not true`,

  running: `
    select company_id, id as entry_id, balance as balance_centavos, expected as expected_centavos
    from (
      select company_id, id, balance, amount + lag(balance, 1, 0::bigint) over (
        partition by company_id order by id
      ) as expected
      from entry
    ) as e
    where balance <> expected`,

  // Finds each row's block by binary search and counts the rows of each block before comparing. A join would compare
  // each of a company's sales with each of its blocks, which takes hours at millions of sales. Rows after the last
  // block are in no block; they count only towards the length of the list.
  listed: `
    with parted as materialized (
      select company_id, list, array_agg(first_id order by first_id) as first_ids, max(last_id) as last_id,
        sum(members) as members
      from block
      group by company_id, list
    ),
    counted as materialized (
      select m.company_id, m.list, m.first_id, count(*) as members,
        count(*) filter (where m.status = 'PENDING') as pending,
        count(*) filter (where m.status = 'SUCCESS') as success,
        count(*) filter (where m.status = 'FAILED') as failed,
        count(*) filter (where m.status = 'REVERSED') as reversed,
        max(m.id) as last_id, min(m.created_at) as earliest, max(m.created_at) as latest
      from (
        select company_id, list, m.id, m.created_at, m.status,
          case when m.id <= p.last_id then coalesce(p.first_ids[width_bucket(m.id, p.first_ids)], 0) end as first_id
        from (
          select company_id, 'sale' as list, id, created_at, status from transaction
          union all
          select company_id, 'entry', id, created_at, null from entry
        ) as m
        left join parted as p using (company_id, list)
      ) as m
      group by m.company_id, m.list, m.first_id
    ),
    length as (
      select company_id, 'sale' as list, sales as members, sales_listed as listed, listed_to as last_id from balance
      union all
      select company_id, 'entry', entries, entries_listed, null from balance
    )
    select coalesce(b.company_id, l.company_id) as company_id, coalesce(b.list, l.list) as list, b.first_id,
      b.members as counted, l.members
    from block as b
    full join (select * from counted where first_id is not null) as l
      on l.company_id = b.company_id and l.list = b.list and l.first_id = b.first_id
    where (b.members, b.pending, b.success, b.failed, b.reversed)
        is distinct from (l.members, l.pending, l.success, l.failed, l.reversed)
      or l.last_id > b.last_id
      or l.earliest < b.earliest
      or l.latest > b.latest
    union all
    select coalesce(b.company_id, m.company_id), coalesce(b.list, m.list), null, coalesce(b.members, 0),
      coalesce(m.members, 0)
    from length as b
    full join (select company_id, list, sum(members) as members from counted group by company_id, list) as m
      on m.company_id = b.company_id and m.list = b.list
    left join parted as p on p.company_id = b.company_id and p.list = b.list
    where coalesce(b.members, 0) <> coalesce(m.members, 0)
      or coalesce(b.listed, 0) <> coalesce(p.members, 0)
      or b.last_id <> coalesce(p.last_id, 0)`,

  sublisted: `
    select company_id, sublist, b.members as counted, m.members
    from (
      select company_id, sublist, sum(members) as members, sum(pending) as pending, sum(success) as success,
        sum(failed) as failed, sum(reversed) as reversed, min(first_id) as first_id, max(last_id) as last_id,
        min(earliest) as earliest, max(latest) as latest, bool_or(first_id <= previous) as overlap
      from (
        select *, lag(last_id) over (partition by company_id, sublist order by first_id) as previous
        from sublist_block
      ) as o
      group by company_id, sublist
    ) as b
    full join (
      select g.company_id, s.sublist, sum(g.members) as members, sum(g.pending) as pending, sum(g.success) as success,
        sum(g.failed) as failed, sum(g.reversed) as reversed, min(g.first_id) as first_id, max(g.last_id) as last_id,
        min(g.earliest) as earliest, max(g.latest) as latest
      from (
        select t.company_id, t.service_id, t.terminal_id, count(*) as members,
          count(*) filter (where t.status = 'PENDING') as pending,
          count(*) filter (where t.status = 'SUCCESS') as success,
          count(*) filter (where t.status = 'FAILED') as failed,
          count(*) filter (where t.status = 'REVERSED') as reversed,
          min(t.id) as first_id, max(t.id) as last_id, min(t.created_at) as earliest, max(t.created_at) as latest
        from transaction as t
        join balance as o on o.company_id = t.company_id
        where t.id <= o.listed_to
        group by t.company_id, t.service_id, t.terminal_id
      ) as g
      cross join lateral unnest(sublists_of(g.service_id, g.terminal_id)) as s(sublist)
      group by g.company_id, s.sublist
    ) as m using (company_id, sublist)
    where (b.members, b.pending, b.success, b.failed, b.reversed)
        is distinct from (m.members, m.pending, m.success, m.failed, m.reversed)
      or b.overlap
      or m.first_id < b.first_id
      or m.last_id > b.last_id
      or m.earliest < b.earliest
      or m.latest > b.latest`,

  ...insuranceQueries,

  ...closingQueries
}

interface ExaminedRow {
  readonly violations: bigint
  readonly offenders: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/**
 * Runs an audit of the cell in one snapshot, so that all queries see the same balances.
 *
 * Disables nested loops. With outdated statistics, for example on a company's first day of sales, the planner compares
 * every sale with every entry. This takes 2 s at 10,000 sales, and 1 min at 50,000.
 */
export const inAuditSnapshot = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const sql = yield* cellClient
  const settings = sql`set local enable_nestloop = off`
  const searchPath = sql`set local search_path = ${sql.cell}, pg_temp`
  return yield* inOneSnapshot(sql, Effect.andThen(Effect.andThen(settings, searchPath), work))
})

interface LastAuditRow {
  readonly ended_at: Date
  readonly duration_ms: bigint
  readonly violations: Readonly<Record<Invariant, number>>
}

const lastAuditOf = ({ duration_ms, ended_at, violations }: LastAuditRow): LastAudit => ({
  endedAt: DateTime.fromDateUnsafe(ended_at),
  duration_ms: Number(duration_ms),
  violated: Struct.keys(violations).map((invariant) => ({ invariant, violations: violations[invariant] }))
})

const make = Effect.gen(function* () {
  const sql = yield* cellClient

  const examine = Effect.fnUntraced(function* ([invariant, query]: readonly [Invariant, string]) {
    const [row] = yield* sql<ExaminedRow>`
      with broken as materialized (${sql.literal(query)})
      select
        (select count(*) from broken) as violations,
        coalesce((select jsonb_agg(b) from (select * from broken limit ${offenders_max}) as b), '[]') as offenders`
    return { invariant, violations: Number(row?.violations), offenders: row?.offenders ?? [] }
  })

  const queries = Object.entries(violationQueries) as ReadonlyArray<[Invariant, string]>
  const all = Effect.flatMap(ReportProgress, (report) =>
    Effect.forEach(queries, (query, index) => Effect.andThen(report(index, queries.length), examine(query)))
  )

  const record = ({ duration_ms, endedAt, violated }: LastAudit) => sql`
    insert into directory.last_audit as l (id, ended_at, duration_ms, violations)
    values (
      1, ${instant(endedAt)}, ${int8(duration_ms)},
      ${PgTypes.jsonb(Object.fromEntries(violated.map(({ invariant, violations }) => [invariant, violations])))}
    )
    on conflict (id) do update
    set ended_at = excluded.ended_at, duration_ms = excluded.duration_ms, violations = excluded.violations
    where l.ended_at <= excluded.ended_at`

  const last = sql<LastAuditRow>`select ended_at, duration_ms, violations from directory.last_audit`

  return Audit.of({
    prove: Effect.orDie(Effect.provideService(inAuditSnapshot(all), PgClient.PgClient, sql)),
    record: (ended) => Effect.orDie(Effect.asVoid(record(ended))),
    last: Effect.orDie(Effect.map(last, ([row]) => (row === undefined ? null : lastAuditOf(row))))
  })
})

/** `Audit` in Postgres: checks the invariants, and keeps the result of the last audit. */
export const layer = Layer.effect(Audit, make)
