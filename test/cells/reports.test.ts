import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Stream } from "effect"
import * as ProviderStatementsPostgres from "../../adapters/postgres/directory/ProviderStatementsPostgres.ts"
import * as PanoramaPostgres from "../../adapters/postgres/reads/PanoramaPostgres.ts"
import * as VitalSignsPostgres from "../../adapters/postgres/reads/VitalSignsPostgres.ts"
import { Centavos } from "../../core/domain/Money.ts"
import type { StatementLine } from "../../core/domain/ProviderStatement.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import { CellFilter } from "../../core/ports/CellFilter.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { PanoramaReads } from "../../core/ports/PanoramaReads.ts"
import { ProviderStatements } from "../../core/ports/ProviderStatements.ts"
import { VitalSigns } from "../../core/ports/VitalSigns.ts"
import { webhookChecks } from "../../facade/cli/checks/WebhookChecks.ts"
import { run } from "../postgres/reads/PanoramaData.ts"
import { intentOf, opened, reservedOrder } from "../support/SalesOnPostgres.ts"
import { portsOfCells, ThreeCells } from "./ThreeCells.ts"

const companies = [300, 301, 302]

/** Sells once for 100.00 in each cell. A second sale in norte stays unresolved. */
const sold = Effect.gen(function* () {
  const ledger = yield* Ledger
  for (const company of companies) {
    yield* opened(ledger, company, 1_000_000)
    const order = yield* reservedOrder(ledger, intentOf(company, "sold", 10_000))
    const verdict = Verdict.Confirm({ delivery: { authCode: `A-${company}`, rechargeToken: null } })
    yield* ledger.settle({ order, verdict, at: yield* DateTime.now, notFound: 0 })
  }
  yield* reservedOrder(ledger, intentOf(301, "held", 2_500))
  for (const [cell, alert] of [
    ["cell", 2_000_000],
    ["norte", 4_000_000],
    ["sur", 3_000_000]
  ])
    yield* run(`update ${cell}.balance set low_balance_alert = ${alert}`)
})

const TestLayer = Layer.mergeAll(
  ProviderStatementsPostgres.layer,
  PanoramaPostgres.layer,
  VitalSignsPostgres.layer,
  Layer.effectDiscard(sold)
).pipe(Layer.provideMerge(portsOfCells), Layer.provideMerge(ThreeCells))

const always = { since: DateTime.makeUnsafe("2026-01-01"), until: DateTime.makeUnsafe("2999-01-01") }

layer(TestLayer, { excludeTestServices: true })("a report over three cells", (it) => {
  it.effect("adds the sales, and ranks durations over all cells", () =>
    Effect.gen(function* () {
      const { sales, suppliers } = yield* PanoramaReads
      const hours = yield* sales("development", always)
      const sumOf = (value: (hour: (typeof hours)[number]) => number) =>
        hours.reduce((sum, hour) => sum + value(hour), 0)
      assert.deepStrictEqual(
        [sumOf(({ sold }) => sold), sumOf(({ amount }) => amount), sumOf(({ unresolved }) => unresolved)],
        [3, 30_000, 1]
      )
      const [provider, ...services] = yield* suppliers("development", always)
      assert.deepStrictEqual([provider?.delivered, provider?.service, services.length], [3, null, 1])
      const [ofNorte] = yield* Effect.provideService(suppliers("development", always), CellFilter, "norte")
      assert.strictEqual(ofNorte?.delivered, 1)
    })
  )

  it.effect("merges the held sales and the low balances", () =>
    Effect.gen(function* () {
      const { open } = yield* PanoramaReads
      const now = yield* DateTime.now
      const { held } = yield* open("development", now)
      assert.deepStrictEqual(
        [held.oldest?.companyId, held.bands.reduce((sum, { sales }) => sum + sales, 0), held.bands.at(0)?.held],
        [301, 1, 2_500]
      )
      const { closing, lowBalances } = yield* open("production", now)
      assert.strictEqual(lowBalances.total, 3)
      assert.deepStrictEqual(
        lowBalances.items.map(({ companyId }) => Number(companyId)),
        [301, 302, 300]
      )
      assert.deepStrictEqual(closing, { day: null, closed: 0, unclosed: 0 })
    })
  )

  it.effect("has the vital signs of each cell", () =>
    Effect.gen(function* () {
      const vitals = yield* VitalSigns.use(({ read }) => read)
      assert.deepStrictEqual(vitals.cells, ["cell", "norte", "sur"])
      assert.deepStrictEqual(
        vitals.unresolved.map(({ cell, held, sales }) => [cell, sales, Number(held)]),
        [["norte", 1, 2_500]]
      )
      const low = vitals.lowBalances.reduce((sum, { companies }) => sum + companies, 0)
      assert.strictEqual(low, 3)
      assert.isNotNull(vitals.closedUntil)
    })
  )

  it.effect("compares the statement of a provider with the sales of all cells", () =>
    Effect.gen(function* () {
      const { compare } = yield* ProviderStatements
      const at = yield* DateTime.now
      const lineOf = (xid: string, line: number): StatementLine => ({
        line,
        xid,
        externalId: null,
        status: "SUCCESS",
        amount: Centavos.make(10_000),
        dated: { since: at, until: DateTime.add(at, { minutes: 1 }) }
      })
      const xids = [...companies.map((company) => `RD-${company}-sold`), "RD-unknown"]
      const { differences, matched } = yield* compare({
        provider: "simulador",
        file: "extracto.csv",
        lines: Stream.succeed(xids.map(lineOf)),
        days: { from: "2026-01-01", to: "2999-12-31" },
        at,
        record: () => Effect.void
      })
      assert.deepStrictEqual(
        [matched, differences],
        [3, { solo_nuestro: 1, solo_suyo: 1, otro_monto: 0, otro_estado: 0 }]
      )
      const sql = yield* PgClient.PgClient
      const found = yield* sql`
        select kind, company_id::int as company from directory.statement_case order by kind`
      assert.deepStrictEqual(found, [
        { kind: "solo_nuestro", company: 301 },
        { kind: "solo_suyo", company: null }
      ])
    })
  )

  it.effect("in saldo doctor includes the webhooks of each cell", () =>
    Effect.gen(function* () {
      yield* run(`
        insert into norte.webhook (company_id, id, url, event_types, description, state, secret, created_at)
        values (301, 513, 'https://a.example', '{}', '', 'desactivado', '', 'epoch')`)
      const [check] = yield* webhookChecks
      assert.deepStrictEqual([check?.level, check?.detail.includes("513")], ["warn", true])
    })
  )
})
