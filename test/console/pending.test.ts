import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { recover } from "../../core/workflows/Recover.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { ask, operator, pendingSale, WithConsole } from "./ConsoleSales.ts"

interface Action {
  readonly accion: string
  readonly permitida: boolean
}

const actionsIn = (item: { readonly acciones: ReadonlyArray<Action> }) =>
  item.acciones.map(({ accion, permitida }) => [accion, permitida])

describe("unresolved sales in the console", () => {
  layer(WithConsole, { excludeTestServices: true })((it) => {
    it.effect("show the supplier's last answer, the proposal, and what the operator may do", () =>
      Effect.gen(function* () {
        const { companyId, id } = yield* pendingSale(StatusAnswer.NotFound())
        yield* recover("all")
        yield* ManualClock.use(({ pass }) => pass("16 minutes"))
        const [ana, berto] = [yield* operator("supervisor"), yield* operator("supervisor")]
        const proposal = { transaction_id: id, resultado: "fallida", motivo: "No está en el extracto" }
        yield* ask("transacciones.proponer", proposal, ana)
        const filter = { empresa_id: String(companyId), suplidor: "proveedor" }
        const { data } = yield* ask("pendientes.listar", filter, berto)
        const [item] = data.items
        assert.deepStrictEqual(
          [item.transaction_id, item.sobre, item.pendiente_desde, item.ultima_respuesta.respuesta],
          [id, "venta", "2026-03-11T10:00:00-04:00", "NotFound"]
        )
        assert.deepInclude(item.propuesta, { resultado: "fallida", motivo: proposal.motivo, propuesta_por: ana.name })
        assert.deepStrictEqual(actionsIn(item), [
          ["confirmar", true],
          ["preguntar", true],
          ["proponer", true]
        ])
        assert.deepStrictEqual(data.edades, [
          {
            ambiente: "development",
            suplidor: "proveedor",
            desde_segundos: 600,
            hasta_segundos: 3_600,
            ventas: 1,
            anulaciones: 0,
            retenido: 100
          }
        ])
        const { data: own } = yield* ask("pendientes.listar", filter, ana)
        assert.deepStrictEqual(actionsIn(own.items[0])[0], ["no_confirmar", true])
        const { data: reader } = yield* ask("pendientes.listar", filter)
        assert.deepStrictEqual(
          actionsIn(reader.items[0]).filter(([, allowed]) => allowed),
          []
        )
        const { data: others } = yield* ask("pendientes.listar", { ...filter, suplidor: "aseguradora" })
        assert.deepStrictEqual([others.items, others.retenido], [[], 0])
      })
    )

    it.effect.each([{ suplidor: "otro" }, { orden: "nombre" }, { empresa_id: "x" }, { per_page: "51" }])(
      "are not listed with the filter %j",
      (filter) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* ask("pendientes.listar", filter)).code, "VALIDATION_ERROR")
        })
    )
  })
})
