import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { ConsoleAddress } from "../../facade/console/ConsoleServer.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { customer } from "../support/service/CustomerCompany.ts"
import { parseCsv, post, sell } from "../support/service/HttpCalls.ts"
import { ask, moneyOf, nextPhone, operator, pendingSale, WithConsole } from "./ConsoleSales.ts"
import { ConsoleBeside, signedIn } from "./TestConsole.ts"

const delivered = StatusAnswer.Delivered({ delivery: { authCode: "PRUEBA-1", rechargeToken: null } })

interface Step {
  readonly evento: string
  readonly dinero: unknown
}

describe("sales in the console", () => {
  layer(WithConsole, { excludeTestServices: true })((it) => {
    it.effect("are found by id, xid, key, identifier, and phone in any form, and by their filters", () =>
      Effect.gen(function* () {
        const { auth, companyId } = yield* customer()
        const identifier = nextPhone()
        const headers = { ...auth, "idempotency-key": `clave-${identifier}` }
        const { body } = yield* sell({ service_id: 1, amount: 100, identifier, terminal_id: "caja-9" }, headers)
        const { transaction_id, xid } = body.data
        const spoken = `+1 (${identifier.slice(0, 3)}) ${identifier.slice(3, 6)}-${identifier.slice(6)}`
        for (const buscar of [transaction_id, xid, headers["idempotency-key"], identifier, spoken]) {
          const { data } = yield* ask("transacciones.listar", { buscar: String(buscar) })
          assert.deepStrictEqual(
            data.items.map((item: { transaction_id: number }) => item.transaction_id),
            [transaction_id],
            String(buscar)
          )
        }
        const { data } = yield* ask("transacciones.listar", { empresa_id: String(companyId), terminal: "caja-9" })
        const { created_at, empresa_id, status, tipo } = data.items[0]
        assert.deepStrictEqual(
          [created_at, empresa_id, status, tipo, data.pagination.total],
          ["2026-03-11T10:00:00-04:00", companyId, "SUCCESS", "mobile_recharge", 1]
        )
        for (const filter of [{ estado: "FAILED" }, { tipo: "insurance" }, { date_to: "2026-03-10" }]) {
          const { data: none } = yield* ask("transacciones.listar", { buscar: xid, ...filter })
          assert.deepStrictEqual(none.items, [], JSON.stringify(filter))
        }
      })
    )

    it.effect.each([
      { estado: "LISTO" },
      { empresa_id: "x" },
      { servicio_id: "0" },
      { date_from: "2026-02-30" },
      { page: "0" },
      { per_page: "201" },
      { buscar: "a\u0000" }
    ])("are not listed with the filter %j", (filter) =>
      Effect.gen(function* () {
        const { code, status } = yield* ask("transacciones.listar", filter)
        assert.deepStrictEqual([status, code], [422, "VALIDATION_ERROR"])
      })
    )

    it.effect("are exported as CSV", () =>
      Effect.gen(function* () {
        const { auth, companyId } = yield* customer()
        const identifier = nextPhone()
        const { body } = yield* sell({ service_id: 1, amount: 100, identifier }, auth)
        const { cookie } = yield* ConsoleBeside.use(({ on }) => on(signedIn("lector")))
        const { url } = yield* ConsoleBeside.use(({ on }) => on(ConsoleAddress))
        const text = yield* Effect.promise(async () => {
          const response = await fetch(`${url}/exportar/transacciones?empresa_id=${companyId}`, { headers: { cookie } })
          assert.strictEqual(response.headers.get("content-type"), "text/csv; charset=utf-8")
          return response.text()
        })
        const [columns = [], row = [], ...others] = parseCsv(text)
        assert.deepStrictEqual(columns.slice(0, 2), ["empresa_id", "transaction_id"])
        assert.deepStrictEqual(row.slice(0, 2), [String(companyId), String(body.data.transaction_id)])
        assert.lengthOf(others, 0)
      })
    )

    it.effect("show their whole history, with the money before and after each step", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const { body } = yield* sell({ service_id: 7, amount: 100, identifier: "204500019" }, auth)
        const id = body.data.transaction_id
        yield* post(`/v1/transacciones/${id}/anular`, {}, { ...auth, "idempotency-key": "anular" })
        const { data } = yield* ask("transacciones.ver", { transaction_id: id })
        const moved = (data.historia as ReadonlyArray<Step>).filter(({ dinero }) => dinero !== null)
        assert.deepStrictEqual(
          moved.map(({ dinero, evento }) => [evento, dinero]),
          [
            [
              "reservada",
              {
                antes: { disponible: 100, retenido: 0, cobrado: 0 },
                despues: { disponible: 0, retenido: 100, cobrado: 0 }
              }
            ],
            [
              "asentada",
              {
                antes: { disponible: 0, retenido: 100, cobrado: 0 },
                despues: { disponible: 0, retenido: 0, cobrado: 100 }
              }
            ],
            [
              "asentada",
              {
                antes: { disponible: 0, retenido: 0, cobrado: 100 },
                despues: { disponible: 100, retenido: 0, cobrado: 0 }
              }
            ]
          ]
        )
        assert.includeMembers(
          (data.historia as ReadonlyArray<Step>).map(({ evento }) => evento),
          ["respondida", "resuelta", "anulacion_pedida", "anulacion_resuelta"]
        )
        assert.deepStrictEqual(data.acciones, [{ accion: "nada", motivo: "REVERSED", permitida: true }])
      })
    )

    it.effect("are settled by a firm answer when a supervisor asks the provider", () =>
      Effect.gen(function* () {
        const { auth, id } = yield* pendingSale(delivered)
        const { data } = yield* ask("transacciones.preguntar", { transaction_id: id }, yield* operator("supervisor"))
        assert.deepStrictEqual([data.respuesta, data.resuelta, data.status], ["Delivered", true, "SUCCESS"])
        assert.deepStrictEqual(yield* moneyOf(auth), [900, 0])
      })
    )

    it.effect("are resolved by two supervisors, never by one", () =>
      Effect.gen(function* () {
        const { auth, id } = yield* pendingSale(StatusAnswer.Unknown())
        const proposal = { transaction_id: id, resultado: "exitosa", autorizacion: "A-77", motivo: "Extracto del 11" }
        const early = yield* ask("transacciones.proponer", proposal, yield* operator("supervisor"))
        assert.strictEqual(early.code, "NO_RESOLUBLE")
        yield* ManualClock.use(({ pass }) => pass("16 minutes"))
        const [ana, berto] = [yield* operator("supervisor"), yield* operator("supervisor")]
        const { data } = yield* ask("transacciones.proponer", proposal, ana)
        assert.deepStrictEqual(yield* moneyOf(auth), [900, 100])
        const confirmation = { transaction_id: id, propuesta: data.propuesta }
        assert.strictEqual((yield* ask("transacciones.confirmar", confirmation, ana)).code, "NO_CONFIRMABLE")
        const { data: shown } = yield* ask("transacciones.ver", { transaction_id: id }, berto)
        const { accion, propuesta } = shown.acciones[0]
        assert.deepStrictEqual(
          [accion, propuesta.resultado, propuesta.autorizacion, propuesta.motivo, propuesta.propuesta_por],
          ["confirmar", "exitosa", "A-77", "Extracto del 11", ana.name]
        )
        const { data: settled } = yield* ask("transacciones.confirmar", confirmation, berto)
        assert.deepStrictEqual([settled.status, settled.resultado], ["SUCCESS", "exitosa"])
        assert.deepStrictEqual(yield* moneyOf(auth), [900, 0])
      })
    )

    it.effect.each([
      [{ resultado: "exitosa" }, "autorizacion"],
      [{ resultado: "exitosa", autorizacion: "A", token: "12" }, "token"],
      [{ resultado: "exitosa", autorizacion: "A", desde: "2026-03-11" }, "hasta"],
      [{ resultado: "exitosa", autorizacion: "A", hasta: "2026-03-11" }, "desde"],
      [{ resultado: "fallida", autorizacion: "A" }, "autorizacion"],
      [{ resultado: "anulada", token: "12345678901234567890" }, "token"],
      [{ resultado: "perdida" }, "resultado"],
      [{ resultado: "fallida", motivo: " " }, "motivo"]
    ] as const)("are not resolved by the proposal %j", ([wrong, field]) =>
      Effect.gen(function* () {
        const { auth, id } = yield* pendingSale(StatusAnswer.Unknown())
        yield* ManualClock.use(({ pass }) => pass("16 minutes"))
        const proposal = { transaction_id: id, motivo: "Extracto", ...wrong }
        const { code, details } = yield* ask("transacciones.proponer", proposal, yield* operator("supervisor"))
        assert.strictEqual(code, "VALIDATION_ERROR")
        assert.deepStrictEqual(Object.keys(details ?? {}), [field])
        assert.deepStrictEqual(yield* moneyOf(auth), [900, 100])
      })
    )
  })
})
