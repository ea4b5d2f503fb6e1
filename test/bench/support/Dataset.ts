import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect } from "effect"
import { rebuildLists } from "../../support/SalesHistory.ts"
import { BenchmarkProgress } from "./Rounds.ts"

/** Number of companies, in Saldo and in the peer. */
export const companies_max = 1_000

/** Balance and limits of each company, in centavos. They are higher than the total that a benchmark sells. */
const owned = 1_000_000_000_000

const run = (statement: string) => PgClient.PgClient.use((sql) => sql.unsafe(statement).unprepared)

/**
 * Creates companies 1 to 1,000 in an empty database as an operator would. Each has a token (`bench_1` with `secret_1` and
 * so on). The companies are spread evenly over the cells.
 */
export const registerCompanies = Effect.fnUntraced(function* (cells: ReadonlyArray<string>) {
  const at = DateTime.formatIso(yield* DateTime.now)
  yield* run(`
    insert into directory.company (legal_name, code, environment, created_at, cell)
    select 'Comercio ' || n, 'BENCH-' || n, 'development', '${at}', ('{${cells.join()}}'::text[])[n % ${cells.length} + 1]
    from generate_series(1, ${companies_max}) as n
    order by n`)
  yield* run(`
    insert into directory.token (company_id, name, api_key, secret_hash, created_at)
    select id, 'bench', 'bench_' || id, sha256(convert_to('secret_' || id, 'UTF8')), created_at
    from directory.company`)
})

/** Gives each company of a cell an opening deposit, and limits that are checked but never reached. */
export const openAccounts = Effect.fnUntraced(function* (cell: string, cells: ReadonlyArray<string>) {
  const at = DateTime.formatIso(yield* DateTime.now)
  yield* run(`
    insert into ${cell}.balance (company_id, available, limit_daily, limit_weekly, limit_monthly, entries, updated_at)
    select n, ${owned}, ${owned}, ${owned}, ${owned}, 1, '${at}'
    from generate_series(1, ${companies_max}) as n
    where n % ${cells.length} = ${cells.indexOf(cell)}`)
  yield* run(`
    insert into ${cell}.entry (company_id, id, type, amount, balance, reference, created_at)
    select company_id, nextval('${cell}.entry_id'), 'deposit', owned, owned, 'apertura', updated_at
    from ${cell}.balance
    order by company_id`)
  yield* run("vacuum analyze")
})

/** Creates the companies in the first cell. */
export const makeCompanies = Effect.andThen(registerCompanies(["cell"]), openAccounts("cell", ["cell"]))

/** The company that made half of the sales in the history, and one of the companies that share the other half. */
export const largeCompany = 1
export const smallCompany = companies_max - 1

/** Number of sales that a company has in a history with `rows` sales. */
export const salesOf = (company: number, rows: number): number =>
  Math.floor(company === largeCompany ? rows / 2 : rows / 2 / (companies_max - 1))

/** Prefixes of the idempotency keys of historical sales and of pending sales. */
export const historyKey = "history-"
export const pendingKey = "pending-"

const chunk_max = 250_000

/** Approximate number of sales written per second. */
const perSecond = 10_000

/** Approximate number of sales counted per second. */
const countedPerSecond = 300_000

export const historyLength_s = (rows: number): number => rows / perSecond + rows / countedPerSecond

const pesos = 100 // centavos; each sale costs one peso

/** Sales spread over the past year, in the form in which the SQL functions would have stored them. */
const chosenSales = (from: number, to: number, rows: number, now: string) => `
  create temporary table chosen on commit drop as
  select
    s.company_id, nextval('cell.transaction_id') as id, s.n, s.at, (s.at - interval '4 hours')::date as day,
    'RD-' || substr(md5(s.company_id || '/' || s.n), 1, 24) as xid,
    s.n % 50 <> 7 as sold
  from (
    select
      n,
      case when n % 2 = 0 then ${largeCompany} else 2 + n / 2 % ${companies_max - 1} end as company_id,
      timestamptz '${now}' - (${rows} - n + 1) * (interval '365 days' / ${rows}) as at
    from generate_series(${from}, ${to}) as n
  ) as s
  order by s.n`

const transactions = `
  insert into cell.transaction (
    company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier,
    amount, reversible, refusal, auth_code, day, created_at, processed_at
  )
  select
    company_id, id, xid, '${historyKey}' || n, case when sold then 'SUCCESS' else 'FAILED' end, 'development', 1, 'Recarga',
    'mobile_recharge', '809' || lpad((n::bigint * 7919 % 1000000)::text, 6, '0') || '3', ${pesos}, false,
    case when not sold then 'TRANSACTION_REJECTED' end, case when sold then 'SBX' || upper(substr(xid, 4, 12)) end, day,
    at, at
  from chosen
  order by n`

// The stored response is filler text of the usual length, because the benchmark never replays these keys.
const keys = `
  insert into cell.idempotency (
    company_id, key, owner, fingerprint, transaction_id, claimed_at, completed_at, settled_at, outcome
  )
  select
    company_id, '${historyKey}' || n, md5(xid)::uuid, sha256(convert_to(xid, 'UTF8')), id, at, at, at,
    jsonb_build_object(
      '_tag', 'Refused', 'transactionId', id, 'xid', xid, 'refusal', 'TRANSACTION_REJECTED', 'padding', repeat('-', 300)
    )
  from chosen
  order by n`

const entries = `
  insert into cell.entry (company_id, id, type, amount, balance, transaction_id, created_at)
  select
    c.company_id, nextval('cell.entry_id'), 'sale', -${pesos},
    b.owned - ${pesos} * row_number() over (partition by c.company_id order by c.id), c.id, c.at
  from chosen as c
  join cell.balance as b using (company_id)
  where c.sold
  order by c.id`

const consumption = `
  insert into cell.consumption as d (company_id, day, total)
  select company_id, day, ${pesos} * count(*) from chosen where sold group by company_id, day order by day, company_id
  on conflict (company_id, day) do update set total = d.total + excluded.total`

const balances = `
  update cell.balance as b
  set available = b.available - c.total
  from (select company_id, ${pesos} * count(*) as total from chosen where sold group by company_id) as c
  where b.company_id = c.company_id`

/** Writes the sales of a history in chronological order. */
export const makeHistory = Effect.fnUntraced(function* (rows: number) {
  const sql = yield* PgClient.PgClient
  const { step } = yield* BenchmarkProgress
  const now = DateTime.formatIso(yield* DateTime.now)
  const run = (statement: string) => sql.unsafe(statement).unprepared
  // A real key is written first and receives its response later, in space that the fill factor of the table reserves.
  // Here, keys are written together with their response, so the table needs no reserved space.
  const [room] = yield* sql<{ options: string }>`
    select array_to_string(reloptions, ', ') as options from pg_class where oid = 'cell.idempotency'::regclass`
  yield* run("alter table cell.idempotency set (fillfactor = 100)")
  for (let from = 1; from <= rows; from += chunk_max) {
    const to = Math.min(rows, from + chunk_max - 1)
    const chunk = [chosenSales(from, to, rows, now), transactions, keys, entries, consumption, balances]
    yield* step(
      `Loading sales: ${from - 1} of ${rows}`,
      (to - from + 1) / perSecond,
      sql.withTransaction(Effect.forEach(chunk, run, { discard: true }))
    )
  }
  yield* run(`alter table cell.idempotency set (${room?.options})`)
  if (rows > 0) yield* step("Counting their lists", rows / countedPerSecond, rebuildLists)
  yield* run("vacuum analyze")
})

/** Leaves some of today's sales unresolved, as if the provider had stopped answering an hour ago. */
export const makePendingSales = Effect.fnUntraced(function* (count: number) {
  const sql = yield* PgClient.PgClient
  const run = (statement: string) => sql.unsafe(statement).unprepared
  const now = yield* DateTime.now
  const at = DateTime.formatIso(DateTime.subtract(now, { hours: 1 }))
  // Recovery in a server is due to ask about these sales only tomorrow. So only `saldo reconcile`, which does not wait, claims
  // them.
  const later = DateTime.formatIso(DateTime.add(now, { days: 1 }))
  yield* sql.withTransaction(
    Effect.forEach(
      [
        `create temporary table chosen on commit drop as
        select
          1 + n % ${companies_max} as company_id, nextval('cell.transaction_id') as id, n,
          'RD-' || substr(md5('pending/' || n), 1, 24) as xid, timestamptz '${at}' as at,
          (timestamptz '${at}' - interval '4 hours')::date as day, true as sold
        from generate_series(1, ${count}) as n`,
        `insert into cell.transaction (
          company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier,
          amount, reversible, day, created_at, ask_at
        )
        select
          company_id, id, xid, '${pendingKey}' || n, 'PENDING', 'development', 1, 'Recarga', 'mobile_recharge', '8095550003',
          ${pesos}, false, day, at, '${later}'
        from chosen
        order by n`,
        `insert into cell.idempotency (
          company_id, key, owner, fingerprint, transaction_id, claimed_at, completed_at, outcome
        )
        select
          company_id, '${pendingKey}' || n, md5(xid)::uuid, sha256(convert_to(xid, 'UTF8')), id, at, at,
          jsonb_build_object('_tag', 'Pending', 'transactionId', id, 'xid', xid)
        from chosen
        order by n`,
        consumption,
        `update cell.balance as b
        set available = b.available - c.total, held = b.held + c.total
        from (select company_id, ${pesos} * count(*) as total from chosen group by company_id) as c
        where b.company_id = c.company_id`
      ],
      run,
      { discard: true }
    ).pipe(Effect.andThen(rebuildLists))
  )
})
