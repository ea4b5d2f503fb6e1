import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Stream } from "effect"
import * as AllTransactionsPostgres from "../../../adapters/postgres/reads/AllTransactionsPostgres.ts"
import * as StatementPostgres from "../../../adapters/postgres/reads/StatementPostgres.ts"
import * as TransactionsPostgres from "../../../adapters/postgres/reads/TransactionsPostgres.ts"
import * as VitalSignsPostgres from "../../../adapters/postgres/reads/VitalSignsPostgres.ts"
import { CompanyId, IdempotencyKey, ServiceId, TerminalId, TransactionId } from "../../../core/domain/Ids.ts"
import type { Sought } from "../../../core/domain/SaleSearch.ts"
import type { TransactionFilter } from "../../../core/domain/Transaction.ts"
import { Statement } from "../../../core/ports/Statement.ts"
import { AllTransactions, type OwnedFilter, Transactions } from "../../../core/ports/Transactions.ts"
import { VitalSigns } from "../../../core/ports/VitalSigns.ts"
import { TestDatabase } from "../../support/Database.ts"
import { type Scan, scansOfStatements } from "../../support/ExplainedScans.ts"
import { loadSalesHistories, setBlockLength } from "../../support/SalesHistory.ts"

const perPage = 50
const block = 1_000

const small = { company: 1, sales: 200, days: 30 }
const large = { company: 2, sales: 200_000, days: 100 }

const Loaded = Layer.effectDiscard(
  Effect.all([setBlockLength(1_000), loadSalesHistories([small, large])], { discard: true })
)

const TestLayer = Layer.mergeAll(
  TransactionsPostgres.layer,
  AllTransactionsPostgres.layer,
  StatementPostgres.layer,
  VitalSignsPostgres.layer,
  Loaded
).pipe(Layer.provideMerge(TestDatabase))

/** The rows that scans read. A bitmap of an index reads no rows; the scan that uses the bitmap reads them. */
const read = (scans: ReadonlyArray<Scan>, of: RegExp): number =>
  scans.reduce((rows, scan) => (of.test(scan.of) && scan.kind !== "Bitmap Index Scan" ? rows + scan.rows : rows), 0)

const rows = /^(transaction|entry)/

/** Asserts, for the small and the large company, that a page uses an index and reads at most `rows_max` rows. */
const readsFew = Effect.fnUntraced(function* <R>(
  page: (company: CompanyId) => Effect.Effect<unknown, unknown, R>,
  rows_max: number
) {
  for (const { company, sales } of [small, large]) {
    const scans = yield* scansOfStatements(page(CompanyId.make(company)))
    assert.isNotEmpty(scans)
    if (company === large.company) {
      assert.isEmpty(
        scans.filter(({ kind, of }) => kind === "Seq Scan" && rows.test(of)),
        JSON.stringify(scans)
      )
    }
    assert.isAtMost(read(scans, rows), rows_max, JSON.stringify(scans))
    // The list of sales and the list of entries each have fewer than two blocks per thousand sales. A search of some days
    // reads these blocks once for the first day and once for the last day, in up to two statements.
    assert.isAtMost(read(scans, /block$/), 10 * Math.ceil((sales + large.sales) / block), JSON.stringify(scans))
  }
})

const month = { from: "2026-01-01", to: "2026-01-31" }
const service = (id: number) => ({ serviceId: ServiceId.make(id) })
const terminal = (name: string) => ({ terminalId: TerminalId.make(name) })
const servicesOf = (...ids: ReadonlyArray<number>) => ({ services: ids.map((id) => ServiceId.make(id)) })
const day = { from: "2025-12-24", to: "2025-12-24" }

layer(TestLayer)("a page of a long list", (it) => {
  describe("of sales", () => {
    it.effect.each([
      ["no filter", {}, 1],
      ["no filter", {}, 1_000],
      ["no filter", {}, 4_000],
      ["no filter", {}, 1_000_000],
      ["SUCCESS", { status: "SUCCESS" }, 1],
      ["SUCCESS", { status: "SUCCESS" }, 1_000],
      ["FAILED", { status: "FAILED" }, 1],
      ["FAILED", { status: "FAILED" }, 70],
      ["PENDING", { status: "PENDING" }, 30],
      ["REVERSED", { status: "REVERSED" }, 10],
      ["a month", month, 1],
      ["a month", month, 1_000],
      ["a day", day, 20],
      ["FAILED and a month", { ...month, status: "FAILED" }, 12],
      ["an empty range of days", { from: "2026-01-02", to: "2026-01-01" }, 1],
      ["a newest sale", { upTo: 150_500 }, 1],
      ["a newest sale", { upTo: 150_500 }, 1_000],
      ["an early newest sale", { upTo: 1_700 }, 20],
      ["a month and a newest sale", { ...month, upTo: 150_500 }, 10],
      ["FAILED and a newest sale", { upTo: 150_500, status: "FAILED" }, 20],
      ["a service", service(1), 1],
      ["a service", service(1), 3_000],
      ["a rare service", service(2), 1],
      ["a rare service", service(2), 70],
      ["a service and a month", { ...month, ...service(1) }, 100],
      ["a service and a newest sale", { ...service(2), upTo: 150_500 }, 2],
      ["SUCCESS and a service", { ...service(1), status: "SUCCESS" }, 100],
      ["PENDING and a service", { ...service(1), status: "PENDING" }, 3],
      ["a terminal", terminal("caja-7"), 1],
      ["a terminal", terminal("caja-7"), 150],
      ["FAILED and a terminal", { ...terminal("caja-7"), status: "FAILED" }, 5],
      ["a terminal with few sales", terminal("caja-100"), 1],
      ["a terminal without sales", terminal("caja"), 1],
      ["a service that the terminal never sold", { ...service(2), ...terminal("caja-2") }, 1],
      ["an identifier and a service", { identifier: "c-77", ...service(1) }, 1],
      ["an identifier and a newest sale", { identifier: "c-77", upTo: 150_500 }, 1],
      ["an identifier", { identifier: "c-77" }, 1],
      ["an identifier, a month and SUCCESS", { identifier: "c-77", ...month, status: "SUCCESS" }, 1],
      ["an xid", { xid: "RD-2-77" }, 1],
      ["an xid and FAILED", { xid: "RD-2-107", status: "FAILED" }, 1]
    ] as ReadonlyArray<readonly [string, TransactionFilter, number]>)(
      "with %s (%j, page %i) uses an index and reads at most a few thousand rows",
      ([, filter, page]) =>
        readsFew(
          (company) => Transactions.use(({ list }) => list(company, filter, { page, perPage })),
          // The page, one block to skip to the page, and one block at each end of the range of days.
          perPage + 4 * block
        )
    )

    // Each of these filters selects ten of a thousand sales.
    it.effect.each([
      ["in PROCESSING", { status: "PROCESSING" }],
      ["of a service at a terminal", { ...service(2), ...terminal("caja-1") }]
    ] as const)("%s reads only the blocks that contain such sales", ([, filter]) =>
      readsFew(
        (company) => Transactions.use(({ list }) => list(company, filter, { page: 3, perPage })),
        (perPage / 10 + 2) * block
      )
    )
  })

  // For all companies, a page reads the newest sales of each company, up to the end of the page. With a filter for a rare
  // status, the page reads blocks.
  it.effect.each([
    [{}, 1],
    [{}, 20],
    [{ statuses: ["SUCCESS"] }, 1],
    [{ statuses: ["FAILED"] }, 3],
    [{ statuses: ["PENDING"] }, 1],
    [{ statuses: ["PROCESSING", "PENDING"] }, 1],
    [{ companyId: CompanyId.make(2), statuses: ["PROCESSING", "PENDING"] }, 10]
  ] as ReadonlyArray<readonly [OwnedFilter, number]>)(
    "of all companies' sales (%j, page %i) uses an index and reads few rows",
    ([filter, page]) =>
      readsFew(() => AllTransactions.use(({ list }) => list(filter, { page, perPage })), 2 * page * perPage + 6 * block)
  )

  // The newest 20,000 sales are read first. If they do not fill the page, blocks show where matching sales are. The sales
  // of a range of days are found by their ids.
  it.effect.each([
    [{ ...terminal("caja-7") }, 1, 20_000],
    [{ ...servicesOf(2) }, 1, 20_000],
    [{ ...servicesOf(1, 2), statuses: ["FAILED"] }, 1, 20_000],
    [{ ...terminal("caja-100") }, 1, 20_000 + 24 * block],
    [{ ...servicesOf(2), ...terminal("caja-2") }, 1, 20_000 + 2 * block],
    [{ ...servicesOf(77) }, 1, 20_000 + 2 * block],
    [day, 1, 8_000],
    [{ ...day, ...servicesOf(1, 2), statuses: ["SUCCESS"] }, 1, 8_000],
    [{ ...day, ...terminal("caja-100") }, 1, 16_000]
  ] as ReadonlyArray<readonly [OwnedFilter, number, number]>)(
    "of all companies' sales (%j, page %i) reads at most %i rows through an index",
    ([filter, page, rows_max]) =>
      readsFew(() => AllTransactions.use(({ list }) => list(filter, { page, perPage })), rows_max + 2 * perPage)
  )

  it.effect.each([
    [{ id: TransactionId.make(150_000) }],
    [{ xids: ["RD-2-77", "RD-2-107", "RD-2-17-R"] }],
    [{ key: IdempotencyKey.make("key-77") }],
    [{ identifiers: ["c-77", "c-78"] }],
    [{ id: TransactionId.make(7), key: IdempotencyKey.make("nothing"), xids: ["nothing"], identifiers: ["nothing"] }]
  ] as ReadonlyArray<readonly [Sought]>)("of a search for %j reads at most 100 sales and entries", ([sought]) =>
    Effect.gen(function* () {
      const derived = [small, large].map(({ company }) => ({
        companyId: CompanyId.make(company),
        xids: sought.key === undefined ? [] : [`RD-${company}-77`]
      }))
      const searched = AllTransactions.use(({ find }) =>
        find({ ...sought, derived }, { statuses: ["SUCCESS", "PENDING"], ...month }, { page: 1, perPage })
      )
      yield* readsFew(() => searched, 100)
    })
  )

  it.effect.each([
    [{}, 1],
    [{}, 1_000],
    [month, 1_000],
    [day, 1],
    [{ to: "2020-01-01" }, 1],
    [{ upTo: 150_500 }, 1_000],
    [{ ...month, upTo: 150_500 }, 1]
  ] as const)("of a statement (%j, page %i) uses an index and reads few rows", ([range, page]) =>
    readsFew(
      (company) => Statement.use((statement) => statement.page(company, range, { page, perPage })),
      perPage + 4 * block
    )
  )

  it.effect("of unsettled sales and reversals reads only unsettled ones, however many are settled", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`
        insert into cell.reversal (
          company_id, id, transaction_id, xid, idempotency_key, status, created_at, processed_at, ask_at
        )
        select
          company_id, nextval('cell.reversal_id'), id, 'RV-' || id, 'reversal-' || id,
          case when id % 5000 = 1 then 'PENDING' else 'CONFIRMED' end, created_at,
          case when id % 5000 <> 1 then created_at end, created_at
        from cell.transaction
        where company_id = ${large.company} and status = 'SUCCESS' and id % 5 = 1`
      const pending = AllTransactions.use((all) =>
        all.pending({}, "age", { page: 1, perPage }, DateTime.makeUnsafe("2026-02-01"))
      )
      const vitals = VitalSigns.use((signs) => signs.read)
      for (const reading of [pending, vitals]) {
        const scans = yield* scansOfStatements<unknown, unknown, AllTransactions | VitalSigns>(reading)
        const money = scans.filter(({ of }) => /^(transaction|reversal)/.test(of))
        assert.isEmpty(
          money.filter(({ kind }) => kind === "Seq Scan"),
          JSON.stringify(scans)
        )
        const unresolved = (2 * (small.sales + large.sales)) / 100
        // The list reads the unresolved sales once for its totals and once for its page.
        assert.isAtMost(read(scans, /^transaction$/), 2 * unresolved + 200, JSON.stringify(scans))
        assert.isAtMost(read(scans, /^reversal$/), 200, JSON.stringify(scans))
      }
    })
  )

  it.effect("of due deliveries, as counted for metrics, reads only the beginning of each queue", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`
        insert into directory.company (id, code, legal_name, environment, created_at)
        overriding system value values (${large.company}, 'UNA', 'Una', 'development', 'epoch')`
      yield* sql`
        insert into cell.webhook (company_id, id, url, event_types, description, state, secret, created_at)
        select ${large.company}, n, 'https://a.example.com/', '{}', '', state, '', now()
        from (values (1, 'activo'), (2, 'activo'), (3, 'pausado')) as w(n, state)`
      yield* sql`
        insert into cell.delivery (company_id, webhook_id, sequence, state, due_at, created_at)
        select ${large.company}, 1 + n % 3, n, case when n % 30 < 3 then 'pendiente' else 'entregada' end,
          timestamptz 'epoch' - n * interval '1 second', 'epoch'
        from generate_series(1, 100000) as n`
      yield* sql`analyze cell.webhook, cell.delivery`
      const { dueDeliveries } = yield* VitalSigns.use((signs) => signs.read)
      assert.strictEqual(dueDeliveries[0]?.deliveries, 2000)
      const scans = yield* scansOfStatements(VitalSigns.use((signs) => signs.read))
      assert.isAtMost(read(scans, /^delivery/), 2000, JSON.stringify(scans))
    })
  )

  it.effect("of a statement of one day is streamed in parts that use an index", () =>
    readsFew(
      (company) => Statement.use((statement) => Stream.runDrain(statement.all(company, day))),
      // The day has two parts. Each part reads the index and then the rows.
      10 * block
    )
  )

  it.effect("of one identifier reads few database pages, even when many rows are dead since the last vacuum", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const company = CompanyId.make(3)
      yield* sql`
        insert into cell.transaction (
          company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier,
          amount, reversible, day, created_at, ask_at
        )
        select
          ${company}, nextval('cell.transaction_id'), 'RD-3-' || n, 'key-' || n, 'PROCESSING', 'development', 1, 'Recarga',
          'mobile_recharge', 'c-' || n, 100, false, date '2026-01-31', at, at + n * interval '1 second'
        from generate_series(1, 5000) as n, (values (timestamptz '2026-01-31 12:00:00Z')) as noon(at)`
      yield* sql`
        update cell.transaction
        set status = 'SUCCESS', processed_at = created_at, auth_code = 'SBX', ask_at = null
        where company_id = ${company} and identifier <> 'c-5000'`
      yield* sql`analyze cell.transaction`
      for (const identifier of ["c-1", "c-5000", "c-5001"]) {
        const found = Transactions.use(({ list }) => list(company, { identifier }, { page: 1, perPage }))
        const scans = yield* scansOfStatements(found)
        assert.isNotEmpty(scans)
        const pages = scans.reduce((sum, scan) => sum + scan.pages, 0)
        assert.isAtMost(pages, 40, JSON.stringify(scans))
      }
    })
  )
})
