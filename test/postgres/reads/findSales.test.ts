import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import * as AllTransactionsPostgres from "../../../adapters/postgres/reads/AllTransactionsPostgres.ts"
import { reversalXidOf, xidOf } from "../../../core/domain/Idempotency.ts"
import { CompanyId, IdempotencyKey, ServiceId, TerminalId } from "../../../core/domain/Ids.ts"
import { instantsOf } from "../../../core/domain/LocalTime.ts"
import { readSought, type SoughtBy } from "../../../core/domain/SaleSearch.ts"
import { AllTransactions, type OwnedFilter } from "../../../core/ports/Transactions.ts"
import { TestDatabase } from "../../support/Database.ts"
import { loadSalesHistories, setBlockLength } from "../../support/SalesHistory.ts"

const companies = [1, 2, 3, 4].map((n) => CompanyId.make(n))

const histories = [
  { company: 1, sales: 900, days: 40 },
  { company: 2, sales: 300, days: 40 },
  { company: 3, sales: 7, days: 40 }
]

/** Sales of companies 1 to 3, in blocks of about twenty sales. Company 4 has no sales. */
const Loaded = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* setBlockLength(20)
    yield* sql`
      insert into directory.company (id, code, legal_name, environment, created_at)
      overriding system value
      select n, 'E-' || n, 'Empresa ' || n, 'development', 'epoch' from generate_series(1, 4) as n`
    yield* loadSalesHistories(histories)
    yield* sql`
      insert into cell.idempotency (
        company_id, key, owner, fingerprint, transaction_id, claimed_at, completed_at, settled_at, outcome
      )
      select company_id, idempotency_key, gen_random_uuid(), '', id, created_at, created_at, created_at, '{}'
      from cell.transaction
      where status <> 'FAILED'`
  })
)

const TestLayer = AllTransactionsPostgres.layer.pipe(
  Layer.provideMerge(Loaded),
  Layer.provideMerge(TestDatabase),
  Layer.provideMerge(Sha256Node.layer)
)

/** The ids of the sales that pass a filter, newest first, by a query that reads every sale. */
const passing = Effect.fnUntraced(function* (filter: OwnedFilter) {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ id: bigint; status: string; service: bigint; terminal: string; company: bigint; at: Date }>`
    select id, status, service_id as service, terminal_id as terminal, company_id as company, created_at as at
    from cell.transaction
    order by id desc`
  const { since, until } = instantsOf(filter)
  const { companyId, services, statuses, terminalId } = filter
  return rows.flatMap(({ at, company, id, service, status, terminal }) =>
    (companyId === undefined || companyId === Number(company)) &&
    (services === undefined || services.some((each) => each === Number(service))) &&
    (statuses === undefined || statuses.some((each) => each === status)) &&
    (terminalId === undefined || terminalId === terminal) &&
    (since === undefined || at.getTime() >= since.epochMilliseconds) &&
    (until === undefined || at.getTime() < until.epochMilliseconds)
      ? [Number(id)]
      : []
  )
})

const service = (...ids: ReadonlyArray<number>) => ({ services: ids.map((id) => ServiceId.make(id)) })
const terminal = (name: string) => ({ terminalId: TerminalId.make(name) })
const week = { from: "2026-01-10", to: "2026-01-16" }

layer(TestLayer)("sales of all companies", (it) => {
  describe("in a list", () => {
    it.effect.each([
      {},
      { statuses: ["FAILED"] },
      { statuses: ["SUCCESS"] },
      { statuses: ["PROCESSING"] },
      service(1),
      service(2),
      service(1, 2),
      service(2, 77),
      service(77),
      terminal("caja-7"),
      terminal("caja-100"),
      terminal("caja"),
      { ...service(2), ...terminal("caja-1") },
      { ...service(1, 2), ...terminal("caja-1"), statuses: ["SUCCESS"] },
      { ...service(2), statuses: ["PENDING"] },
      week,
      { ...week, ...service(1), statuses: ["REVERSED"] },
      { ...week, ...service(2, 1), ...terminal("caja-1") },
      { from: "2026-01-31" },
      { to: "2025-12-24" },
      { from: "2026-01-16", to: "2026-01-10" },
      { companyId: companies[1], ...service(1, 2), ...week },
      { companyId: companies[1], ...service(1, 2) },
      { companyId: companies[0], ...service(2), ...week, statuses: ["SUCCESS"] },
      { companyId: companies[3], ...service(1, 2) },
      { companyId: companies[3], ...week }
    ] as ReadonlyArray<OwnedFilter>)("that match the filter %j are all found, newest first, over the pages", (filter) =>
      Effect.gen(function* () {
        const all = yield* AllTransactions
        const expected = yield* passing(filter)
        const perPage = 40
        const pages = Math.min(3, Math.ceil(expected.length / perPage))
        for (const page of [...Array(pages).keys(), pages].map((n) => n + 1)) {
          const { items, total, unreadable } = yield* all.list(filter, { page, perPage })
          const ids = items.map(({ transaction }) => transaction.id)
          assert.deepStrictEqual([...ids], expected.slice((page - 1) * perPage, page * perPage))
          assert.isEmpty(unreadable)
          if (total === null) assert.isAbove(expected.length, page * perPage, "an uncounted list has a next page")
          else assert.strictEqual(total, expected.length)
        }
      })
    )
  })

  describe("in a search", () => {
    const found = Effect.fnUntraced(function* (by: SoughtBy, text: string, filter: OwnedFilter = {}) {
      const sought = Option.getOrThrow(readSought(by, text))
      const key = sought.key
      const derived =
        key === undefined
          ? []
          : yield* Effect.forEach(companies, (companyId) =>
              Effect.map(Effect.all([xidOf(companyId, key), reversalXidOf(companyId, key)]), (xids) => ({
                companyId,
                xids
              }))
            )
      const { items, total } = yield* AllTransactions.use((all) =>
        all.find({ ...sought, derived }, filter, { page: 1, perPage: 100 })
      )
      assert.strictEqual(items.length, total)
      return items.map(({ companyId, transaction }) => `${companyId}/${transaction.xid}`)
    })

    it.effect.each([
      ["xid", "RD-2-77", {}, ["2/RD-2-77"]],
      // Sale 107 failed, and sale 37 is in PROCESSING. Each status has its own index.
      ["xid", "RD-2-107", {}, ["2/RD-2-107"]],
      ["xid", "RD-2-37", {}, ["2/RD-2-37"]],
      ["xid", "RD-2-17-R", {}, ["2/RD-2-17"]],
      ["xid", "RD-2-77", { companyId: companies[0] }, []],
      ["xid", "RD-2-107", { statuses: ["SUCCESS"] }, []],
      ["key", "key-5", {}, ["3/RD-3-5", "2/RD-2-5", "1/RD-1-5"]],
      ["key", "key-5", { companyId: companies[1] }, ["2/RD-2-5"]],
      ["key", "key-0", {}, []],
      ["identifier", "c-61", {}, ["1/RD-1-781", "1/RD-1-601", "1/RD-1-421", "1/RD-1-241", "1/RD-1-61"]],
      [
        "identifier",
        "c-37",
        { companyId: companies[1] },
        ["2/RD-2-277", "2/RD-2-217", "2/RD-2-157", "2/RD-2-97", "2/RD-2-37"]
      ],
      ["identifier", "c-37", { companyId: companies[1], statuses: ["PROCESSING"] }, ["2/RD-2-37"]],
      ["text", "RD-2-77", {}, ["2/RD-2-77"]],
      ["text", "key-250", {}, ["2/RD-2-250", "1/RD-1-250"]],
      ["text", "nothing", {}, []]
    ] as ReadonlyArray<readonly [SoughtBy, string, OwnedFilter, ReadonlyArray<string>]>)(
      "found by %s %j with the filter %j are %j",
      ([by, text, filter, expected]) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* found(by, text, filter), [...expected])
        })
    )

    it.effect("are found by id, and by a phone in another spelling", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const [sale] = yield* sql<{ id: bigint }>`
          update cell.transaction set identifier = '+1 809-555-1234' where company_id = 3 and xid = 'RD-3-4' returning id`
        assert.deepStrictEqual(yield* found("phone", "8095551234"), ["3/RD-3-4"])
        assert.deepStrictEqual(yield* found("text", "(809) 555 1234"), ["3/RD-3-4"])
        assert.include(yield* found("text", `${sale?.id}`), "3/RD-3-4")
      })
    )

    it.effect("are found through the xid when the key was freed, or when the key belongs to a denied reversal", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const [freed, denied] = [IdempotencyKey.make("freed"), IdempotencyKey.make("denied")]
        const two = CompanyId.make(2)
        const [xid, reversalXid] = yield* Effect.all([xidOf(two, freed), reversalXidOf(two, denied)])
        yield* sql`
          insert into cell.transaction (
            company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier,
            amount, reversible, day, created_at, processed_at
          ) values (
            2, nextval('cell.transaction_id'), ${xid}, 'freed', 'FAILED', 'development', 1, 'Recarga', 'mobile_recharge',
            'nadie', 100, false, '2026-01-31', '2026-01-31', '2026-01-31'
          )`
        yield* sql`
          insert into cell.reversal (company_id, id, transaction_id, xid, idempotency_key, status, created_at, processed_at)
          select 2, nextval('cell.reversal_id'), id, ${reversalXid}, 'denied', 'DENIED', created_at, created_at
          from cell.transaction
          where company_id = 2 and xid = 'RD-2-8'`
        assert.deepStrictEqual(yield* found("key", "freed"), [`2/${xid}`])
        assert.deepStrictEqual(yield* found("key", "denied"), ["2/RD-2-8"])
        assert.deepStrictEqual(yield* found("xid", reversalXid), ["2/RD-2-8"])
      })
    )
  })
})
