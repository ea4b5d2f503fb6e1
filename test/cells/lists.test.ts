import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import * as InsurancesMemory from "../../adapters/memory/InsurancesMemory.ts"
import * as Cells from "../../adapters/postgres/cells/Cells.ts"
import * as ClosingsOfCells from "../../adapters/postgres/cells/ClosingsOfCells.ts"
import * as LedgerOfCells from "../../adapters/postgres/cells/LedgerOfCells.ts"
import * as ReadsOfCells from "../../adapters/postgres/cells/ReadsOfCells.ts"
import { CompanyId, Identifier, TransactionId } from "../../core/domain/Ids.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import { AllInsurances } from "../../core/ports/AllInsurances.ts"
import { CellFilter } from "../../core/ports/CellFilter.ts"
import { Closings } from "../../core/ports/Closings.ts"
import { Histories } from "../../core/ports/Histories.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { Statement } from "../../core/ports/Statement.ts"
import { AllTransactions, type OwnedFilter, Transactions } from "../../core/ports/Transactions.ts"
import { run } from "../postgres/reads/PanoramaData.ts"
import { intentOf, opened, reservedOrder } from "../support/SalesOnPostgres.ts"
import { ThreeCells } from "./ThreeCells.ts"

const TestLayer = Layer.mergeAll(
  ClosingsOfCells.layer,
  LedgerOfCells.layer,
  ReadsOfCells.companyLayer,
  ReadsOfCells.operatorLayer
).pipe(
  Layer.provide([Cells.layer, SecureRandom.layerWebCrypto, InsurancesMemory.vaultLayer]),
  Layer.provideMerge(ThreeCells)
)

const confirmed = Verdict.Confirm({ delivery: { authCode: "A1", rechargeToken: null } })

/** A company of each cell, and the number of its sales. */
const companies = [
  [300, 9],
  [301, 6],
  [302, 3]
] as const

/** Sells in the three cells alternately. Every third sale of a company stays unresolved. */
const sold = Effect.gen(function* () {
  const ledger = yield* Ledger
  for (const [company] of companies) yield* opened(ledger, company, 1_000_000)
  for (let n = 1; n <= 9; n++) {
    for (const [company, sales] of companies) {
      if (n > sales) continue
      const key = `${company}-${n}`
      const identifier = Identifier.make(n === 2 ? "8095550777" : "8095550123")
      const order = yield* reservedOrder(ledger, { ...intentOf(company, key, 100 * company + n), identifier })
      if (n % 3 !== 0) yield* ledger.settle({ order, verdict: confirmed, at: yield* DateTime.now, notFound: 0 })
    }
  }
})

/** The keys of all sales, newest first. */
const newestFirst = Effect.map(
  PgClient.PgClient.use(
    (sql) => sql<{ key: string }>`
      select idempotency_key as key
      from (table cell.transaction union all table norte.transaction union all table sur.transaction) as t
      order by created_at desc, id desc`
  ),
  (rows) => rows.map(({ key }) => key)
)

/** The keys of a company's sales, newest first. */
const newestOf = (company: number) =>
  Effect.map(newestFirst, (keys) => keys.filter((key) => key.startsWith(String(company))))

const keysOf = (slice: { readonly items: ReadonlyArray<{ readonly transaction: { readonly key: string } }> }) =>
  slice.items.map(({ transaction }) => transaction.key)

/** The keys of the sales on all pages of a list, and its total. */
const everyPage = Effect.fnUntraced(function* (filter: OwnedFilter, perPage: number) {
  const sales = yield* AllTransactions
  const keys: Array<string> = []
  for (let page = 1; ; page++) {
    const slice = yield* sales.list(filter, { page, perPage })
    keys.push(...keysOf(slice))
    if (slice.items.length < perPage) return { keys, total: slice.total }
  }
})

const days = { from: "2026-01-01", to: "2999-12-31" }

layer(Layer.provideMerge(Layer.effectDiscard(sold), TestLayer), { excludeTestServices: true })(
  "over three cells",
  (it) => {
    it.effect.each([{}, days] as ReadonlyArray<OwnedFilter>)(
      "the list of sales with the filter %j is merged newest first, and counted",
      (filter) =>
        Effect.gen(function* () {
          for (const perPage of [1, 4, 100])
            assert.deepStrictEqual(yield* everyPage(filter, perPage), { keys: yield* newestFirst, total: 18 })
        })
    )

    it.effect("the list of a company is read from its cell", () =>
      Effect.gen(function* () {
        const ofCompany = yield* newestOf(301)
        const found = yield* everyPage({ companyId: CompanyId.make(301) }, 4)
        assert.deepStrictEqual(found, { keys: ofCompany, total: 6 })
        const own = yield* Transactions.use(({ list }) => list(CompanyId.make(301), {}, { page: 1, perPage: 10 }))
        assert.deepStrictEqual(
          own.items.map(({ key }) => String(key)),
          ofCompany
        )
      })
    )

    it.effect("the list of one cell contains only its own sales", () =>
      Effect.gen(function* () {
        const found = yield* Effect.provideService(everyPage({}, 4), CellFilter, "norte")
        assert.deepStrictEqual(found, { keys: yield* newestOf(301), total: 6 })
      })
    )

    it.effect("a search finds the sales of every cell", () =>
      Effect.gen(function* () {
        const sales = yield* AllTransactions
        const sought = { identifiers: [Identifier.make("8095550777")], derived: [] }
        const first = yield* sales.find(sought, {}, { page: 1, perPage: 2 })
        const second = yield* sales.find(sought, {}, { page: 2, perPage: 2 })
        assert.deepStrictEqual([...keysOf(first), ...keysOf(second)], ["302-2", "301-2", "300-2"])
        assert.strictEqual(first.total, 3)
      })
    )

    it.effect("unresolved sales are ordered by age or by amount, and their totals are added", () =>
      Effect.gen(function* () {
        const { pending } = yield* AllTransactions
        // At this time in the past, every sale counts as less than a minute old.
        const now = DateTime.makeUnsafe(0)
        const byAge = yield* pending({}, "age", { page: 1, perPage: 4 }, now)
        assert.deepStrictEqual(keysOf(byAge), ["300-3", "301-3", "302-3", "300-6"])
        const byAmount = yield* pending({}, "amount", { page: 2, perPage: 2 }, now)
        assert.deepStrictEqual(keysOf(byAmount), ["301-3", "300-9"])
        for (const { bands, held, total } of [byAge, byAmount]) {
          assert.deepStrictEqual([total, held], [6, 30_003 + 30_006 + 30_009 + 30_103 + 30_106 + 30_203])
          assert.deepStrictEqual(
            bands.map(({ held, sales }) => [sales, held]),
            [[6, held]]
          )
        }
      })
    )

    it.effect("a page that reaches back more than 10,000 rows is refused", () =>
      Effect.gen(function* () {
        const { list } = yield* AllTransactions
        const refused = yield* Effect.flip(list({}, { page: 101, perPage: 100 }))
        assert.deepStrictEqual([refused._tag, refused.rows_max], ["PageTooDeep", 10_000])
        // The list of a company, or of one cell, has no such limit.
        const deep = { page: 101, perPage: 100 }
        const { ofCompanies } = yield* Closings
        assert.strictEqual((yield* Effect.flip(ofCompanies(undefined, {}, deep)))._tag, "PageTooDeep")
        // The list of one day is no longer than the list of companies.
        assert.isEmpty((yield* ofCompanies(undefined, { from: "2026-03-11", to: "2026-03-11" }, deep)).items)
        assert.isEmpty((yield* list({ companyId: CompanyId.make(301) }, deep)).items)
        assert.isEmpty((yield* Effect.provideService(list({}, deep), CellFilter, "sur")).items)
      })
    )

    it.effect("the history and the statement of a sale come from its cell", () =>
      Effect.gen(function* () {
        const sales = yield* AllTransactions
        const histories = yield* Histories
        const statement = yield* Statement
        for (const [company] of companies) {
          const companyId = CompanyId.make(company)
          const { items } = yield* sales.list({ companyId, statuses: ["SUCCESS"] }, { page: 1, perPage: 1 })
          const id = items[0]?.transaction.id ?? TransactionId.make(1)
          const history = Option.getOrThrow(yield* histories.find(id))
          assert.strictEqual(history.companyId, companyId)
          const entries = yield* Stream.runCollect(statement.all(companyId, {}))
          assert.deepStrictEqual(entries[0], history.entries[0])
          assert.strictEqual((yield* statement.page(companyId, {}, { page: 1, perPage: 1 })).total, entries.length)
        }
      })
    )

    it.effect("insurances are merged newest first, also unreadable ones, and counted by state", () =>
      Effect.gen(function* () {
        for (const [cell, company, hours] of [
          ["cell", 300, "generate_series(1, 9, 3)"],
          ["norte", 301, "generate_series(2, 9, 3)"],
          ["sur", 302, "generate_series(3, 6, 3)"]
        ] as const)
          yield* run(`
          insert into ${cell}.insurance (
            company_id, id, service_id, environment, state, plate, insured, renewal, reference, versions,
            offered_extras, code_hash, code_expires_at, created_at
          )
          select ${company}, n, 6, 'production', 'iniciada', 'A12345', '', false, 'C', '[]', '[]', 'h', 'epoch',
            timestamptz '2026-03-01' + n * interval '1 hour'
          from ${hours} as n`)
        const { list } = yield* AllInsurances
        const first = yield* list({}, { page: 1, perPage: 5 })
        const second = yield* list({ state: "iniciada" }, { page: 2, perPage: 5 })
        assert.deepStrictEqual([...first.unreadable, ...second.unreadable], [8, 7, 6, 5, 4, 3, 2, 1])
        assert.deepStrictEqual([first.total, first.counts, second.counts], [8, { iniciada: 8 }, { iniciada: 8 }])
      })
    )
  }
)
