import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { customer } from "../support/service/CustomerCompany.ts"
import { get, post, sell } from "../support/service/HttpCalls.ts"
import { ask, nextPhone, operator, WithConsole } from "./ConsoleSales.ts"

/** A webhook of a new company, with one event that waits. */
const webhookWithEvent = Effect.fnUntraced(function* () {
  const { auth, companyId } = yield* customer()
  const created = yield* post("/v1/webhooks", { url: "https://tienda.example.com/saldo" }, auth)
  const sold = yield* sell({ service_id: 1, amount: 100, identifier: nextPhone() }, auth)
  assert.deepStrictEqual([created.status, sold.status], [201, 201])
  return { auth, companyId, id: created.body.data.webhook_id as number }
})

describe("webhooks in the console", () => {
  layer(WithConsole, { excludeTestServices: true })((it) => {
    it.effect("are listed with their state and their oldest waiting delivery, failing webhooks first", () =>
      Effect.gen(function* () {
        const { id } = yield* webhookWithEvent()
        const other = yield* webhookWithEvent()
        const sql = yield* PgClient.PgClient
        yield* sql`update cell.webhook set failing_since = '2026-03-11T13:00:00Z' where id = ${other.id}`
        const { data } = yield* ask("webhooks.listar", {})
        const shown = data.items.map(({ espera_desde, estado, falla_desde, webhook_id }: Record<string, unknown>) => [
          webhook_id,
          estado,
          falla_desde,
          espera_desde
        ])
        assert.deepStrictEqual(shown, [
          [other.id, "activo", "2026-03-11T09:00:00-04:00", "2026-03-11T10:00:00-04:00"],
          [id, "activo", null, "2026-03-11T10:00:00-04:00"]
        ])
        const { data: failing } = yield* ask("webhooks.listar", { estado: "fallando" })
        assert.deepStrictEqual([failing.items.length, failing.pagination.total], [1, 1])
        const { data: paused } = yield* ask("webhooks.listar", { estado: "pausado" })
        assert.lengthOf(paused.items, 0)
        const { data: second } = yield* ask("webhooks.listar", { page: "2", per_page: "1" })
        assert.deepStrictEqual([second.items[0].webhook_id, second.pagination.total_pages], [id, 2])
      })
    )

    it.effect("are disabled by a supervisor, and the company sees them as disabled", () =>
      Effect.gen(function* () {
        const { auth, id } = yield* webhookWithEvent()
        const { data } = yield* ask("webhooks.desactivar", { webhook_id: id }, yield* operator("supervisor"))
        assert.strictEqual(data.estado, "desactivado")
        const { body } = yield* get(`/v1/webhooks/${id}`, auth)
        assert.strictEqual(body.data.estado, "desactivado")
      })
    )

    it.effect("receive the events of a time span again", () =>
      Effect.gen(function* () {
        const { id } = yield* webhookWithEvent()
        const supervisor = yield* operator("supervisor")
        const span = { webhook_id: id, desde: "2026-03-11T09:00:00-04:00" }
        const { data } = yield* ask("webhooks.reenviar", span, supervisor)
        assert.isAbove(data.eventos, 0)
        const earlier = yield* ask("webhooks.reenviar", { ...span, hasta: "2026-03-11T08:00:00-04:00" }, supervisor)
        assert.deepStrictEqual([earlier.code, earlier.details], ["VALIDATION_ERROR", { hasta: "fuera_de_rango" }])
        const { data: failed } = yield* ask("webhooks.reenviar", { ...span, solo_fallidas: true }, supervisor)
        assert.strictEqual(failed.eventos, 0)
        const { code } = yield* ask("webhooks.ver", { webhook_id: 999_999 })
        assert.strictEqual(code, "WEBHOOK_NO_EXISTE")
        const { data: shown } = yield* ask("webhooks.ver", { webhook_id: id })
        assert.deepStrictEqual([shown.webhook_id, shown.entregas.pendiente > 0, shown.ultimos_errores], [id, true, []])
      })
    )
  })
})
