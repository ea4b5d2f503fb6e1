import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ConsoleAddress } from "../../facade/console/ConsoleServer.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { customer } from "../support/service/CustomerCompany.ts"
import { parseCsv, sell } from "../support/service/HttpCalls.ts"
import { ask, nextPhone, operator, WithConsole } from "./ConsoleSales.ts"
import { ConsoleBeside } from "./TestConsole.ts"

describe("closings in the console", () => {
  layer(WithConsole, { excludeTestServices: true })((it) => {
    it.effect("are made by a cashier for days that are over, listed, shown and exported", () =>
      Effect.gen(function* () {
        const { auth, companyId } = yield* customer()
        yield* sell({ service_id: 1, amount: 100, identifier: nextPhone() }, auth)
        const early = yield* ask("cierres.cerrar", { dia: "2026-03-11" }, yield* operator("cajero"))
        assert.strictEqual(early.status, 422)
        yield* ManualClock.use(({ until }) => until("2026-03-12T00:30:00-04:00"))
        const cashier = yield* operator("cajero")
        const { data: closed } = yield* ask("cierres.cerrar", { dia: "2026-03-11", empresa_id: companyId }, cashier)
        assert.deepStrictEqual(closed, { cierres_nuevos: 1, en_curso: 0, completo: true, descuadres: [] })
        const { data } = yield* ask("cierres.listar", { empresa_id: String(companyId), date_from: "2026-03-11" })
        const [{ cerrado_en, dia, empresa_id, saldo_final, ventas }] = data.items
        assert.deepStrictEqual(
          [cerrado_en, dia, empresa_id, saldo_final, ventas, data.pagination.total],
          ["2026-03-12T00:30:00-04:00", "2026-03-11", companyId, 900, { cantidad: 1, monto: 100 }, 1]
        )
        const { data: shown } = yield* ask("cierres.ver", { empresa_id: companyId, dia })
        assert.deepStrictEqual(shown.sello, data.items[0].sello)
        const { url } = yield* ConsoleBeside.use(({ on }) => on(ConsoleAddress))
        const text = yield* Effect.promise(async () => {
          const headers = { cookie: cashier.cookie }
          return (await fetch(`${url}/exportar/cierres?empresa_id=${companyId}`, { headers })).text()
        })
        assert.deepStrictEqual(parseCsv(text)[1]?.slice(0, 2), ["2026-03-11", "saldo_inicial"])
      })
    )

    it.effect("are verified, and a missing day is reported", () =>
      Effect.gen(function* () {
        const { companyId } = yield* customer()
        const sql = yield* PgClient.PgClient
        yield* ManualClock.use(({ until }) => until("2026-03-15T00:30:00-04:00"))
        yield* ask("cierres.cerrar", { dia: "2026-03-14", empresa_id: companyId }, yield* operator("cajero"))
        const { data: whole } = yield* ask("cierres.verificar", {})
        assert.deepStrictEqual([whole.rotos, whole.rotos_total], [[], 0])
        yield* sql`alter table cell.closing disable trigger closing_kept`
        yield* sql`delete from cell.closing where company_id = ${companyId} and day = '2026-03-13'`
        const { data: broken } = yield* ask("cierres.verificar", {})
        assert.deepStrictEqual(broken, {
          ...whole,
          cierres: whole.cierres - 1,
          rotos: [{ empresa_id: companyId, dia: "2026-03-14", motivo: "gap" }],
          rotos_total: 1
        })
      })
    )

    it.effect.each([
      ["cierres.listar", { date_from: "2026-02-30" }, "VALIDATION_ERROR"],
      ["cierres.listar", { empresa_id: "999999" }, "EMPRESA_NO_EXISTE"],
      ["cierres.ver", { empresa_id: "x", dia: "2026-03-11" }, "VALIDATION_ERROR"],
      ["cierres.ver", { empresa_id: "999999", dia: "1999-03-11" }, "EMPRESA_NO_EXISTE"]
    ] as const)("are refused when %s gets the input %j: %s", ([name, wanted, code]) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* ask(name, wanted)).code, code)
      })
    )

    it.effect("are not found for a day without a closing", () =>
      Effect.gen(function* () {
        const { companyId } = yield* customer()
        const { status } = yield* ask("cierres.ver", { empresa_id: companyId, dia: "1999-03-11" })
        assert.strictEqual(status, 404)
      })
    )
  })
})
