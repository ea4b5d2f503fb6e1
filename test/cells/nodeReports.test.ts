import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { DateTime, Effect, Layer, Stream } from "effect"
import * as ProviderStatementsPostgres from "../../adapters/postgres/directory/ProviderStatementsPostgres.ts"
import * as PanoramaPostgres from "../../adapters/postgres/reads/PanoramaPostgres.ts"
import * as VitalSignsPostgres from "../../adapters/postgres/reads/VitalSignsPostgres.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Centavos } from "../../core/domain/Money.ts"
import type { StatementLine } from "../../core/domain/ProviderStatement.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import { CellFilter } from "../../core/ports/CellFilter.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { PanoramaReads } from "../../core/ports/PanoramaReads.ts"
import { ProviderStatements } from "../../core/ports/ProviderStatements.ts"
import { Statement } from "../../core/ports/Statement.ts"
import { VitalSigns } from "../../core/ports/VitalSigns.ts"
import { intentOf, opened, reservedOrder } from "../support/SalesOnPostgres.ts"
import { onNodesOfEachKind } from "./TwoNodes.ts"

const delivered = Verdict.Confirm({ delivery: { authCode: "AUTH-77", rechargeToken: null } })
const always = { since: DateTime.makeUnsafe("2026-01-01"), until: DateTime.makeUnsafe("2999-01-01") }

const reports = Layer.mergeAll(ProviderStatementsPostgres.layer, PanoramaPostgres.layer, VitalSignsPostgres.layer)

onNodesOfEachKind("a report over two nodes", (it) => {
  it.effect("includes sales and held amounts of both nodes, and compares a provider's statement with both", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      for (const company of [300, 301]) {
        yield* opened(ledger, company, 1_000_000)
        const order = yield* reservedOrder(ledger, intentOf(company, "sold", 10_000))
        yield* ledger.settle({ order, verdict: delivered, at: yield* DateTime.now, notFound: 0 })
      }
      yield* reservedOrder(ledger, intentOf(301, "held", 2_500))

      const statement = yield* Statement
      for (const [company, balance] of [
        [300, 990_000],
        [301, 990_000]
      ] as const) {
        const { items } = yield* statement.page(CompanyId.make(company), {}, { page: 1, perPage: 10 })
        assert.deepStrictEqual([items.length, items[0]?.balance], [2, balance])
      }

      const { open, sales } = yield* PanoramaReads
      const hours = yield* sales("development", always)
      assert.deepStrictEqual(
        [hours.reduce((sum, hour) => sum + hour.sold, 0), hours.reduce((sum, hour) => sum + hour.unresolved, 0)],
        [2, 1]
      )
      const ofNode = yield* Effect.provideService(sales("development", always), CellFilter, "sur")
      assert.strictEqual(
        ofNode.reduce((sum, hour) => sum + hour.sold, 0),
        1
      )
      const { held } = yield* open("development", yield* DateTime.now)
      assert.deepStrictEqual([held.oldest?.companyId, held.bands.at(0)?.held], [301, 2_500])

      const vitals = yield* VitalSigns.use(({ read }) => read)
      assert.deepStrictEqual(
        vitals.unresolved.map(({ cell, held, sales }) => [cell, sales, Number(held)]),
        [["sur", 1, 2_500]]
      )

      const at = yield* DateTime.now
      const lineOf = (xid: string, line: number): StatementLine => ({
        line,
        xid,
        externalId: null,
        status: "SUCCESS",
        amount: Centavos.make(10_000),
        dated: { since: at, until: DateTime.add(at, { minutes: 1 }) }
      })
      const { differences, matched } = yield* (yield* ProviderStatements).compare({
        provider: "simulador",
        file: "extracto.csv",
        lines: Stream.succeed(["RD-300-sold", "RD-301-sold", "RD-unknown"].map(lineOf)),
        days: { from: "2026-01-01", to: "2999-12-31" },
        at,
        record: () => Effect.void
      })
      assert.deepStrictEqual(
        [matched, differences],
        [2, { solo_nuestro: 1, solo_suyo: 1, otro_monto: 0, otro_estado: 0 }]
      )
      const sql = yield* PgClient.PgClient
      const found = yield* sql`select kind, company_id::int as company from directory.statement_case order by kind`
      assert.deepStrictEqual(found, [
        { kind: "solo_nuestro", company: 301 },
        { kind: "solo_suyo", company: null }
      ])
    }).pipe(Effect.provide(reports))
  )
})
