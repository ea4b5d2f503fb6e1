import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** Creates the balance rows of companies that have sales but no balance. */
const balances = `
  insert into cell.balance (company_id, updated_at)
  select distinct company_id, 'epoch'::timestamptz from cell.transaction
  on conflict do nothing`

const lists = "select count(*) from (select cell.list_anew(array_agg(company_id)) from cell.balance) as l"

/** Recomputes the lists and their counts. Needed after rows were written without the SQL functions. */
export const rebuildLists = PgClient.PgClient.use((sql) =>
  Effect.forEach([balances, lists], (statement) => sql.unsafe(statement).unprepared, { discard: true })
)

/**
 * Length of a list block in test databases. It is short, so that a few sales fill some blocks and the audits compare
 * these blocks with the rows.
 */
export const testBlockLength = 4

/** Sets the number of rows of a cell's list block. It applies to blocks that are filled later. */
export const setBlockLength = (length: number, cell = "cell") =>
  PgClient.PgClient.use(
    (sql) =>
      sql.unsafe(
        // A worker of a Citus cluster creates a function only if Citus does not send it to the other nodes.
        `do $$
        begin
          perform set_config('citus.enable_ddl_propagation', 'off', true);
          create or replace function ${cell}.block_length() returns int language sql immutable as 'select ${length}';
        end;
        $$`
      ).unprepared
  )

/**
 * A company, its number of sales, and the number of days over which the sales are spread. The last day is 2026-01-31.
 */
export interface SalesHistory {
  readonly company: number
  readonly sales: number
  readonly days: number
}

/**
 * The status of a sale, by its number. Of 100 sales, two failed, one was reversed, one is pending and one is
 * processing; the others succeeded.
 */
const statusOfSale = `case n % 100
  when 7 then 'FAILED' when 57 then 'FAILED' when 17 then 'REVERSED' when 27 then 'PENDING' when 37 then 'PROCESSING'
  else 'SUCCESS'
end`

/**
 * Writes histories directly into the tables, as an import would. They consist of sales of 1.00, five for each
 * identifier. Every fiftieth sale is of service 2, all others are of service 1. Twenty terminals make equal numbers of
 * sales, and terminal `caja-100` makes one of ten thousand sales. The ledger starts with a deposit and charges each
 * successful sale. The ids of all sales rise with their times.
 */
export const loadSalesHistories = Effect.fnUntraced(function* (histories: ReadonlyArray<SalesHistory>) {
  const sql = yield* PgClient.PgClient
  const run = (statement: string) => sql.unsafe(statement).unprepared
  const rows = histories.map(({ company, days, sales }) => `(${company}, ${sales}, ${days})`).join(", ")
  const loaded = `(values ${rows}) as h(company, sales, days)`
  const ofLoaded = `company_id in (${histories.map(({ company }) => company).join(", ")})`
  yield* run(`
    insert into cell.balance (company_id, available, updated_at)
    select company, sales * 100, 'epoch'::timestamptz from ${loaded}`)
  yield* run(`
    insert into cell.transaction (
      company_id, id, xid, idempotency_key, status, environment, service_id, terminal_id, service_name, service_type,
      identifier, amount, reversible, day, created_at, processed_at, auth_code
    )
    select
      company, nextval('cell.transaction_id'), 'RD-' || company || '-' || n, 'key-' || n, s.status, 'development',
      case n % 50 when 1 then 2 else 1 end, 'caja-' || case n % 10000 when 77 then 100 else n % 20 end, 'Recarga',
      'mobile_recharge', 'c-' || n % ((s.sales + 4) / 5), 100, false, (s.at - interval '4 hours')::date, s.at,
      case when s.status not in ('PENDING', 'PROCESSING') then s.at end,
      case when s.status in ('SUCCESS', 'REVERSED') then 'SBX' || n end
    from (
      select
        h.company,
        h.sales,
        n,
        ${statusOfSale} as status,
        timestamptz '2026-02-01 04:00:00Z' - (h.sales - n + 0.5) * (h.days * interval '1 day' / h.sales) as at
      from ${loaded}
      cross join lateral generate_series(1, h.sales) as n
    ) as s
    order by s.at, s.company, n`)
  yield* run(`
    insert into cell.reversal (company_id, id, transaction_id, xid, idempotency_key, status, created_at, processed_at)
    select company_id, nextval('cell.reversal_id'), id, xid || '-R', idempotency_key || '-R', 'CONFIRMED', created_at,
      created_at
    from cell.transaction
    where ${ofLoaded} and status = 'REVERSED'`)
  yield* run(`
    insert into cell.entry (company_id, id, type, amount, balance, reference, created_at)
    select company_id, nextval('cell.entry_id'), 'deposit', available, available, 'apertura', '2020-01-01 12:00:00Z'
    from cell.balance
    where ${ofLoaded}`)
  yield* run(`
    insert into cell.entry (company_id, id, type, amount, balance, transaction_id, created_at)
    select
      t.company_id, nextval('cell.entry_id'), 'sale', -100,
      b.available - 100 * row_number() over (partition by t.company_id order by t.id), t.id, t.created_at
    from cell.transaction as t
    join cell.balance as b using (company_id)
    where t.${ofLoaded} and t.status = 'SUCCESS'
    order by t.id`)
  yield* rebuildLists
  // In production, autovacuum runs this statement.
  yield* run("vacuum analyze cell.transaction").pipe(Effect.andThen(run("vacuum analyze cell.entry")))
  yield* run("vacuum analyze cell.block").pipe(Effect.andThen(run("vacuum analyze cell.sublist_block")))
})

/** Writes the history of one company. */
export const loadSalesHistory = (history: SalesHistory) => loadSalesHistories([history])
