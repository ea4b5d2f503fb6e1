import { PgClient, PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Duration, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { settleRow } from "../../../adapters/postgres/ledger/LedgerRows.ts"
import * as ReversalsPostgres from "../../../adapters/postgres/ledger/ReversalsPostgres.ts"
import * as UnresolvedPostgres from "../../../adapters/postgres/ledger/UnresolvedPostgres.ts"
import { inAuditSnapshot, violationQueries } from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { Identifier, TransactionId } from "../../../core/domain/Ids.ts"
import { type Intent, Verdict } from "../../../core/domain/Sale.ts"
import { Reversals } from "../../../core/ports/Reversals.ts"
import { Unresolved } from "../../../core/ports/Unresolved.ts"
import { TestDatabase } from "../../support/Database.ts"
import { rebuildLists, setBlockLength } from "../../support/SalesHistory.ts"
import { intentOf, reserveInOneCall } from "../../support/SalesOnPostgres.ts"

const sales = 20_000

// Inserts settled sales without ledger entries.
const sell = (company: number, members: number) => `
  insert into cell.transaction (
    company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier, amount,
    reversible, day, created_at, processed_at, auth_code
  )
  select ${company}, n, 'x-' || n, 'k-' || n, 'SUCCESS', 'development', 1, 's', 'generic', 'iii', 100, false, '2026-01-01',
    '2026-01-01', '2026-01-01', 'a'
  from generate_series(1, ${members}) as n`

const deposit = `
  insert into cell.entry (company_id, id, type, amount, balance, reference, created_at)
  select 2, n, 'deposit', 100, 0, n, '2026-01-01' from generate_series(1, 1000) as n`

const enter = `
  insert into cell.entry (company_id, id, type, amount, balance, transaction_id, created_at)
  select company_id, 1000 + id, 'sale', -amount, 0, id, created_at from cell.transaction where company_id = 2`

/** A node of an executed plan. */
interface Node {
  readonly "Rows Removed by Join Filter"?: number
  readonly "Actual Loops": number
  readonly Plans?: ReadonlyArray<Node>
}

/** Number of row pairs that the joins of a plan compared and rejected. */
const mismatched = (node: Node): number =>
  (node["Rows Removed by Join Filter"] ?? 0) * node["Actual Loops"] +
  (node.Plans ?? []).reduce((sum, child) => sum + mismatched(child), 0)

/** Asserts that no query of the audit rejects more row pairs than there are sales. */
const comparesFew = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  for (const [invariant, query] of Object.entries(violationQueries)) {
    const [row] = yield* sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ Plan: Node }> }>(
      `explain (analyze, format json) ${query}`
    ).unprepared
    const [explained] = row?.["QUERY PLAN"] ?? []
    assert.isDefined(explained)
    if (explained !== undefined) assert.isAtMost(mismatched(explained.Plan), sales, invariant)
  }
})

layer(TestDatabase)("an audit compares few unrelated rows", (it) => {
  it.effect("when a company started to sell after its deposits were analyzed", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql.unsafe(deposit).unprepared
      yield* sql.unsafe("analyze cell.entry").unprepared
      yield* sql.unsafe(sell(2, sales / 4)).unprepared
      yield* sql.unsafe(enter).unprepared
      yield* inAuditSnapshot(comparesFew)
    })
  )

  it.effect("when the sales of a company fill twenty blocks", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql.unsafe(sell(1, sales)).unprepared
      yield* setBlockLength(1_000)
      yield* rebuildLists
      yield* sql.unsafe("analyze cell.transaction, cell.block").unprepared
      yield* inAuditSnapshot(comparesFew)
    })
  )
})

const confirmed = Verdict.Confirm({ delivery: { authCode: "A1", rechargeToken: null } })

/** Sale number `n`. Each sale has a different identifier. */
const sale = (company: number, n: number): Intent => ({
  ...intentOf(company, `sale ${n}`, 100),
  identifier: Identifier.make(String(8_090_000_000 + n))
})

/** Reserves and settles one sale of each company, in one batch. */
const sellTogether = Effect.fnUntraced(function* (companies: ReadonlyArray<number>, first: number) {
  const sql = yield* PgClient.PgClient
  const at = yield* DateTime.now
  const intents = companies.map((company, n) => sale(company, first + n))
  const answers = yield* reserveInOneCall(intents)
  const settlements = Arr.zipWith(intents, answers, (intent, { answer, n }) => {
    const order = { ...intent, transactionId: TransactionId.make(answer.transaction_id), createdAt: at }
    return { ...settleRow({ order, verdict: confirmed, at, notFound: 0 }), n }
  })
  yield* sql`select won from cell.settle(${PgTypes.jsonb(settlements)})`
})

/** Rows read and index scans started by this transaction so far. */
const work = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ done: number }>`
    select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) + coalesce(idx_scan, 0))::int as done
    from pg_stat_xact_user_tables
    where schemaname = 'cell'`
  return row?.done ?? 0
})

/** Rows read and index scans started by an effect. */
const workOf = Effect.fnUntraced(function* <A, E, R>(something: Effect.Effect<A, E, R>) {
  const before = yield* work
  yield* something
  return (yield* work) - before
})

/** Gives money to the companies in a range of ids. */
const fund = (first: number, last: number) =>
  PgClient.PgClient.use(
    (sql) => sql`
      insert into cell.balance (company_id, available, limit_daily, limit_weekly, limit_monthly, updated_at)
      select id, 1000000000, 0, 0, 0, 'epoch'
      from generate_series(${first}::int, ${last}::int) as id`
  )

const companies_n = 300
const together = 20

/** Calls `use` for each batch of twenty companies. The sales are numbered from `first`. */
const inBatches = <A, E, R>(
  groups: number,
  first: number,
  use: (companies: ReadonlyArray<number>, first: number) => Effect.Effect<A, E, R>
) =>
  Effect.forEach(
    Arr.range(0, groups - 1),
    (group) => {
      const from = (group * together) % companies_n
      return use(Arr.range(from + 1, from + together), first + group * together)
    },
    { discard: true }
  )

/** Reserves sales and asserts that every result has this tag. */
const ask = (companies: ReadonlyArray<number>, first: number, tag: string) =>
  Effect.map(reserveInOneCall(companies.map((company, n) => sale(company, first + n))), (answers) =>
    assert.deepStrictEqual(
      answers.map(({ answer }) => answer.tag),
      companies.map(() => tag)
    )
  )

/** Claims due sales and reversals, and asserts that there are none. */
const claim = Effect.gen(function* () {
  const now = yield* DateTime.now
  const wanted = { began: now, lease: Duration.minutes(1), limit: 32, now, which: "due" } as const
  const unresolved = yield* Unresolved
  const reversals = yield* Reversals
  assert.deepStrictEqual([...(yield* unresolved.claim(wanted)), ...(yield* reversals.claim(wanted))], [])
}).pipe(
  Effect.provide(
    Layer.merge(UnresolvedPostgres.layer, ReversalsPostgres.layer).pipe(Layer.provide(SecureRandom.layerWebCrypto))
  )
)

const poor = (companies: ReadonlyArray<number>) => companies.map((company) => company + companies_n)

const scenarios = [
  {
    name: "of a company with many sales",
    works: Effect.forEach(Arr.range(0, 5), (hundred) =>
      workOf(Effect.forEach(Arr.range(1, 100), (n) => sellTogether([1], 100 * hundred + n), { discard: true }))
    )
  },
  {
    name: "in a batch of several companies",
    // In each part, every company makes four sales. Each part except the first completes one block of every company.
    works: Effect.map(
      Effect.forEach(Arr.range(0, 3), (part) => workOf(inBatches(60, 1200 * part, sellTogether))),
      (works) => works.slice(1)
    )
  },
  {
    name: "that is retried",
    works: Effect.gen(function* () {
      yield* inBatches(3, 0, sellTogether)
      const again = workOf(inBatches(3, 0, (companies, first) => ask(companies, first, "Replay")))
      const before = yield* again
      yield* inBatches(75, 60, sellTogether)
      return [before, yield* again]
    })
  },
  {
    name: "that is refused",
    works: Effect.gen(function* () {
      const refused = workOf(
        inBatches(3, 9_000, (companies, first) => ask(poor(companies), first, "InsufficientBalance"))
      )
      const before = yield* refused
      yield* inBatches(75, 0, sellTogether)
      return [before, yield* refused]
    })
  },
  {
    name: "that recovery claims",
    works: Effect.gen(function* () {
      const looked = workOf(Effect.forEach(Arr.range(1, 20), () => claim, { discard: true }))
      const before = yield* looked
      yield* inBatches(75, 0, sellTogether)
      return [before, yield* looked]
    })
  }
]

// Leaves tables that have pages but no rows, which `analyze` then records as empty.
const sellAndRollBack = PgClient.PgClient.use((sql) =>
  sql.withTransaction(Effect.andThen(inBatches(15, 0, sellTogether), Effect.fail("forget"))).pipe(Effect.ignore)
)

// A cached plan can come from wrong statistics: no statistics, or statistics of empty tables.
const statistics = [
  { database: "was never analyzed", prepare: Effect.void },
  {
    database: "was analyzed while it was empty",
    prepare: Effect.andThen(
      sellAndRollBack,
      PgClient.PgClient.use((sql) => sql`analyze`)
    )
  }
]

for (const { database, prepare } of statistics) {
  for (const { name, works } of scenarios) {
    layer(TestDatabase)(`a sale ${name}, in a database that ${database}`, (it) => {
      it.effect("reads about the same number of rows when there are many other sales", () =>
        PgClient.PgClient.use((sql) =>
          sql.withTransaction(
            Effect.gen(function* () {
              yield* fund(1, companies_n)
              yield* prepare
              const [first = 0, ...later] = yield* works
              for (const one of later) assert.isAtMost(one, 1.2 * first, `${first}, ${later.join(", ")}`)
            })
          )
        )
      )
    })
  }
}
