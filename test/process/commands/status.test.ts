import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { sellInEveryState } from "../../support/EveryState.ts"

layer(CommandLine.layer, { excludeTestServices: true })("saldo status", (it) => {
  it.effect("shows an installation without sales and without an audit", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const view = yield* answer("status")
      assert.strictEqual(view.ambiente, "development")
      assert.strictEqual(view.hoy.total.ventas, 0)
      assert.isNull(view.auditoria)
      const { stdout } = yield* run("status")
      assert.include(stdout, "No audit has ended yet.")
    })
  )

  it.effect("shows the sales of today and the held money of the given environment", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      yield* sellInEveryState(1)
      const { hoy, retenido } = yield* answer("status", "--ambiente", "development")
      assert.deepStrictEqual(hoy.total, { ventas: 1, monto: 1, fallidas: 1, anuladas: 1, sin_resolver: 2 })
      assert.strictEqual(retenido.total, 6)
      assert.strictEqual(retenido.mas_antigua.sobre, "venta")
      const { stdout } = yield* run("status")
      assert.match(stdout, /6 pesos of 2 sales/)
      assert.match(stdout, /proveedor +all services +2 +1 +66\.7 %/)
      const production = yield* answer("status", "--ambiente", "production")
      assert.strictEqual(production.hoy.total.ventas, 0)
      assert.strictEqual(production.retenido.total, 0)
    })
  )

  it.effect("shows the result of the last audit, including violated invariants", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const sql = yield* PgClient.PgClient
      yield* answer("audit")
      assert.deepInclude((yield* answer("status")).auditoria, { ok: true, violadas: [] })
      yield* sql`update cell.balance set available = available + 1`
      yield* run("audit")
      assert.deepInclude((yield* answer("status")).auditoria, {
        ok: false,
        violadas: [{ invariante: "owned", violaciones: 1 }]
      })
      assert.include((yield* run("status")).stdout, "BROKEN owned (1)")
    })
  )
})
