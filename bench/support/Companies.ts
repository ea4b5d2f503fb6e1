import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect } from "effect"

/** How many companies there are; the peer has as many. */
export const companies_max = 1_000

/** What each owns, in centavos, and may spend in any period: more than a benchmark sells. */
const owned = 1_000_000_000_000

/**
 * Makes companies 1 to 1,000 of an empty database as the operator would: each with a token, `bench_1` with `secret_1`
 * and so on, an opening deposit, and limits, which are checked although nobody reaches them.
 */
export const makeCompanies = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const at = DateTime.formatIso(yield* DateTime.now)
  const run = (statement: string) => sql.unsafe(statement).unprepared
  yield* run(`
    insert into directory.company (legal_name, code, environment, created_at)
    select 'Comercio ' || n, 'BENCH-' || n, 'development', '${at}'
    from generate_series(1, ${companies_max}) as n
    order by n`)
  yield* run(`
    insert into directory.token (company_id, name, api_key, secret_hash, created_at)
    select id, 'bench', 'bench_' || id, sha256(convert_to('secret_' || id, 'UTF8')), created_at
    from directory.company`)
  yield* run(`
    insert into cell.balance (company_id, available, limit_daily, limit_weekly, limit_monthly, entries, updated_at)
    select id, ${owned}, ${owned}, ${owned}, ${owned}, 1, created_at
    from directory.company`)
  yield* run(`
    insert into cell.entry (company_id, id, type, amount, balance, reference, created_at)
    select company_id, nextval('cell.entry_id'), 'deposit', owned, owned, 'apertura', updated_at
    from cell.balance
    order by company_id`)
  yield* run("vacuum analyze")
})
