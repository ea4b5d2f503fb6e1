import { PgClient, PgTypes } from "@effect/sql-pg"
import { Array as Arr, DateTime, Effect, Layer, Struct } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type CellInvariant, type Invariant, invariants } from "../../../core/domain/Invariants.ts"
import type { LastAudit } from "../../../core/domain/Panorama.ts"
import { Audit, type InvariantResult } from "../../../core/ports/Audit.ts"
import { ReportProgress } from "../../../core/ports/Progress.ts"
import { CellName, type CellSql, cellClient, everyCell, type NamedCell } from "../connection/Cell.ts"
import { mainNode } from "../connection/Nodes.ts"
import { inOneSnapshot, instant, int8 } from "../connection/Sql.ts"
import { cellQueries, companiesFor, movingCopies } from "./CellAudit.ts"
import { closingQueries } from "./ClosingAudit.ts"
import { insuranceQueries } from "./InsuranceAudit.ts"
import { listQueries } from "./ListAudit.ts"

/** How many violating rows are shown for each invariant. */
const offenders_max = 5

/**
 * For each invariant, a query for the rows that violate it. Each query reads its tables once. The search path of the
 * session is the cell.
 */
export const violationQueries: Record<Exclude<Invariant, CellInvariant>, string> = {
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

  ...listQueries,

  ...insuranceQueries,

  ...closingQueries
}

interface ExaminedRow {
  readonly violations: bigint
  readonly offenders: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** Makes the cell the search path of the transaction. */
const searchCell = (sql: CellSql) => sql`set local search_path = ${sql.cell}, pg_temp`

/**
 * Runs an audit in one snapshot of a node, so that all queries see the same balances, and see a moving company in only one
 * cell. The search path is the cell of `CellName`.
 *
 * Disables nested loops. With outdated statistics, for example on a company's first day of sales, the planner compares
 * every sale with every entry. This takes 2 s at 10,000 sales, and 1 min at 50,000.
 *
 * Uses no parallel workers, so that an audit takes one core from the sales and not three.
 */
export const inAuditSnapshot = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>, cell?: string) {
  const sql = yield* cell === undefined ? cellClient : Effect.provideService(cellClient, CellName, cell)
  const settings = sql`
    select
      set_config('enable_nestloop', 'off', true),
      set_config('max_parallel_workers_per_gather', '0', true)`
  return yield* inOneSnapshot(sql, Effect.andThen(Effect.andThen(settings, searchCell(sql)), work))
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

/** An invariant, and the cell that its query reads. Null: the query reads all cells of the node. */
interface Check {
  readonly invariant: Invariant
  readonly cell: NamedCell | null
  readonly sql: PgClient.PgClient
  readonly query: string
}

const checksOf = (
  queries: Partial<Record<Invariant, string>>,
  { cell, sql }: Pick<Check, "cell" | "sql">
): ReadonlyArray<Check> =>
  Object.entries(queries).map(([invariant, query]) => ({ invariant: invariant as Invariant, cell, sql, query }))

/** The checks of the cells of one node. The invariants between cells need no query if there is only one cell. */
const checksOfNode = Effect.fnUntraced(function* (
  cells: Arr.NonEmptyReadonlyArray<NamedCell>,
  directory: PgClient.PgClient,
  companies: string | null
) {
  const ofCells = cells.flatMap((cell) => checksOf(violationQueries, { cell, sql: cell.sql }))
  if (companies === null) return ofCells
  return [
    ...ofCells,
    ...checksOf(yield* cellQueries(cells, companies, yield* movingCopies(directory)), { cell: null, sql: cells[0].sql })
  ]
})

/** The results of all cells, by invariant. */
const resultsOf = (results: ReadonlyArray<InvariantResult>): ReadonlyArray<InvariantResult> =>
  Struct.keys(invariants).map((invariant) => {
    const those = results.filter((each) => each.invariant === invariant)
    return {
      invariant,
      violations: those.reduce((sum, { violations }) => sum + violations, 0),
      offenders: those.flatMap(({ offenders }) => offenders).slice(0, offenders_max)
    }
  })

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const readCells = yield* everyCell

  /** Runs the query of a check. Sets the search path to its cell, unless the previous check has already done so. */
  const examine = Effect.fnUntraced(function* ({ cell, invariant, query, sql }: Check, previous: Check | undefined) {
    if (cell !== null && cell !== previous?.cell) yield* searchCell(cell.sql)
    // The comment makes the text differ, so each cell has its own prepared statement. If the cells shared one, Postgres
    // would plan it again whenever the search path changes.
    const ofCell = cell === null ? query : `/* ${cell.name} */ ${query}`
    const [row] = yield* sql<ExaminedRow>`
      with broken as materialized (${sql.literal(ofCell)})
      select
        (select count(*) from broken) as violations,
        coalesce((select jsonb_agg(b) from (select * from broken limit ${offenders_max}) as b), '[]') as offenders`
    const offenders = row?.offenders ?? []
    return {
      invariant,
      violations: Number(row?.violations),
      offenders: cell === null ? offenders : offenders.map((offender) => ({ ...offender, cell: cell.name }))
    } satisfies InvariantResult
  })

  /** Runs checks in a snapshot of each node. The first snapshot, of the directory, is already taken. */
  const inSnapshots = <A, E, R>(
    nodes: ReadonlyArray<Arr.NonEmptyReadonlyArray<NamedCell>>,
    work: Effect.Effect<A, E, R>
  ) =>
    nodes.reduce<Effect.Effect<A, E | SqlError, R>>(
      (inner, [cell]) =>
        cell.node === mainNode
          ? inner
          : Effect.provideService(inAuditSnapshot(inner, cell.name), PgClient.PgClient, cell.sql),
      work
    )

  const all = Effect.gen(function* () {
    const report = yield* ReportProgress
    const cells = yield* readCells
    const nodes = Object.values(Arr.groupBy(cells, ({ node }) => node))
    const companies = cells.length > 1 ? yield* companiesFor(sql, nodes.length > 1) : null
    const checks = (yield* Effect.forEach(nodes, (ofNode) => checksOfNode(ofNode, sql, companies))).flat()
    const examined = Effect.forEach(checks, (check, index) =>
      Effect.andThen(report(index, checks.length), examine(check, checks[index - 1]))
    )
    return resultsOf(yield* inSnapshots(nodes, examined))
  })

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
