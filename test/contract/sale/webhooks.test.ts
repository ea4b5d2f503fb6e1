import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { int8 } from "../../../adapters/postgres/connection/Sql.ts"
import { sharedSandbox } from "../../../core/domain/Company.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { eventOf } from "../../support/ReceivedWebhook.ts"
import { customer, deposit } from "../../support/service/CustomerCompany.ts"
import { as, call, sell } from "../../support/service/HttpCalls.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"
import { ask, delivering, settled, subscriber, WebhookServer } from "../../support/service/WebhookCalls.ts"

const sale = { service_id: 1, identifier: "8095550123", amount: 50 }

layer(WebhookServer, { excludeTestServices: true })("a webhook (contract 6)", (it) => {
  it.effect("receives a signed event for a sale, with the detail of the sale", () =>
    Effect.gen(function* () {
      const { apiKey, calls, companyId, path, received, secrets } = yield* subscriber()
      yield* delivering
      const sold = yield* sell(sale, as(apiKey))
      yield* settled(calls, path, [["transaction.succeeded", "entregada", 1, null]])
      const [event] = received
      if (event === undefined) return assert.fail("nothing was received")
      const body = eventOf(event, secrets)
      const { data } = (yield* calls("GET", `/v1/transacciones/${sold.body.data?.["transaction_id"]}`)).body
      assert.deepInclude(body, { type: "transaction.succeeded", empresa_id: companyId, data })
      assert.strictEqual(event.headers["webhook-id"], body.id)
    }).pipe(Effect.scoped)
  )

  it.effect("shows its secret only in the response that creates it", () =>
    Effect.gen(function* () {
      const { calls, created, path } = yield* subscriber({ eventos: ["balance.low"], descripcion: "caja" })
      const { secreto, ...shown } = created.body.data as Record<string, unknown>
      assert.match(String(secreto), /^whsec_/)
      assert.deepStrictEqual((yield* calls("GET", path)).body.data, shown)
      assert.deepStrictEqual((yield* calls("GET", "/v1/webhooks")).body.data, { items: [shown] })
    }).pipe(Effect.scoped)
  )

  it.effect("receives an event again after a failure, with the same event id", () =>
    Effect.gen(function* () {
      const { calls, companyId, path, received, secrets, statuses } = yield* subscriber()
      statuses.push(500, 301)
      yield* delivering
      yield* deposit(companyId, 10, "d1")
      const [waiting] = yield* settled(calls, path, [["balance.deposited", "pendiente", 1, "http_500"]])
      assert.isString(waiting?.["proximo_intento"])
      assert.isString(((yield* calls("GET", path)).body.data as Record<string, unknown>)["falla_desde"])
      const clock = yield* ManualClock
      yield* clock.pass("7 seconds")
      yield* settled(calls, path, [["balance.deposited", "pendiente", 2, "http_301"]])
      yield* clock.pass("7 minutes")
      yield* settled(calls, path, [["balance.deposited", "entregada", 3, null]])
      assert.isNull(((yield* calls("GET", path)).body.data as Record<string, unknown>)["falla_desde"])
      assert.lengthOf(received, 3)
      assert.lengthOf(new Set(received.map((one) => eventOf(one, secrets).id)), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("is disabled by its endpoint's response 410, and receives events again after it is activated", () =>
    Effect.gen(function* () {
      const { calls, companyId, path, statuses } = yield* subscriber()
      statuses.push(410)
      yield* delivering
      yield* deposit(companyId, 10, "d1")
      yield* settled(calls, path, [["balance.deposited", "fallida", 1, "http_410"]])
      assert.include((yield* calls("GET", path)).body.data, { estado: "desactivado" })
      yield* deposit(companyId, 10, "d2")
      yield* calls("PATCH", path, { estado: "activo" })
      assert.deepStrictEqual((yield* calls("POST", `${path}/reenviar`, { desde: "2026-01-01T00:00:00Z" })).body.data, {
        eventos: 2
      })
      yield* settled(calls, path, [
        ["balance.deposited", "entregada", 1, null],
        ["balance.deposited", "entregada", 1, null]
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("signs with both secrets during the overlap of a rotation", () =>
    Effect.gen(function* () {
      const { calls, companyId, path, received, secrets } = yield* subscriber()
      yield* delivering
      const rotated = yield* calls("POST", `${path}/secreto`, { solape_horas: 1 })
      const next = String((rotated.body.data as Record<string, unknown>)["secreto"])
      yield* deposit(companyId, 10, "d1")
      yield* settled(calls, path, [["balance.deposited", "entregada", 1, null]])
      const clock = yield* ManualClock
      yield* clock.pass("61 minutes")
      yield* deposit(companyId, 10, "d2")
      yield* settled(calls, path, [
        ["balance.deposited", "entregada", 1, null],
        ["balance.deposited", "entregada", 1, null]
      ])
      const [during, after] = received
      if (during === undefined || after === undefined) return assert.fail("two events were expected")
      assert.deepStrictEqual(
        [during, after].map(({ headers }) => String(headers["webhook-signature"]).split(" ").length),
        [2, 1]
      )
      // One secret alone verifies only one of the two signatures.
      eventOf(during, secrets)
      for (const secret of secrets) assert.throws(() => eventOf(during, [secret]))
      eventOf(after, [next])
    }).pipe(Effect.scoped)
  )

  it.effect("receives only the event types it subscribes to, and none while paused or after it is deleted", () =>
    Effect.gen(function* () {
      const { apiKey, calls, companyId, path, received } = yield* subscriber({ eventos: ["transaction.succeeded"] })
      yield* delivering
      yield* deposit(companyId, 10, "d1")
      yield* sell(sale, as(apiKey))
      yield* settled(calls, path, [["transaction.succeeded", "entregada", 1, null]])
      yield* calls("PATCH", path, { estado: "pausado" })
      yield* sell(sale, as(apiKey))
      assert.strictEqual((yield* calls("DELETE", path)).status, 200)
      assert.strictEqual((yield* calls("GET", path)).status, 404)
      assert.lengthOf(received, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("receives a test event on request, even if it does not subscribe to this type", () =>
    Effect.gen(function* () {
      const { calls, path } = yield* subscriber({ eventos: ["balance.low"] })
      yield* delivering
      const tested = yield* calls("POST", `${path}/probar`)
      assert.strictEqual(tested.status, 202)
      const [item] = yield* settled(calls, path, [["webhook.test", "entregada", 1, null]])
      const { evento_id } = tested.body.data as Record<string, unknown>
      assert.strictEqual(item?.["evento_id"], evento_id)
      const again = yield* calls("POST", `${path}/reenviar`, { evento_id })
      assert.deepStrictEqual(again.body.data, { eventos: 1 })
      yield* calls("PATCH", path, { estado: "pausado" })
      const paused = yield* calls("POST", `${path}/probar`)
      assert.deepStrictEqual([paused.status, paused.body.error?.["details"]], [422, { estado: "no_activo" }])
    }).pipe(Effect.scoped)
  )

  // Path and body of a request, and the details of its 422.
  it.effect.each([
    ["", { url: "http://[::1" }, { url: "no_permitida" }],
    ["", { url: "https://ana:clave@tienda.example.com/" }, { url: "no_permitida" }],
    ["", { url: "https://10.0.0.1/" }, { url: "no_permitida" }],
    ["", {}, { url: "requerido" }],
    ["", { url: "https://tienda.example.com", eventos: ["venta"] }, { eventos: "invalido" }],
    ["", { url: "https://tienda.example.com", eventos: "balance.low" }, { eventos: "invalido" }],
    ["", { url: "https://tienda.example.com", descripcion: "ñ".repeat(201) }, { descripcion: "longitud" }],
    ["", { url: "https://tienda.example.com", descripcion: "a\u0000" }, { descripcion: "invalido" }],
    ["", { url: 1, eventos: 1, descripcion: 1 }, { url: "invalido", eventos: "invalido", descripcion: "invalido" }],
    ["/{id}/secreto", { solape_horas: 169 }, { solape_horas: "fuera_de_rango" }],
    ["/{id}/reenviar", {}, { evento_id: "requerido" }],
    ["/{id}/reenviar", { evento_id: "evt_1_1", desde: "2026-01-01T00:00:00Z" }, { desde: "sobra" }],
    ["/{id}/reenviar", { evento_id: "evt_1_1", hasta: "2026-01-01T00:00:00Z" }, { hasta: "sobra" }],
    ["/{id}/reenviar", { evento_id: "evt_1_1", solo_fallidas: false }, { solo_fallidas: "sobra" }],
    ["/{id}/reenviar", { hasta: "2026-01-01T00:00:00Z" }, { evento_id: "requerido" }],
    ["/{id}/reenviar", { desde: "2026-01-01T00:00:00Z", hasta: "hoy" }, { hasta: "invalido" }],
    ["/{id}/reenviar", { desde: "2026-01-01T00:00:00Z", solo_fallidas: "si" }, { solo_fallidas: "invalido" }],
    ["/{id}/reenviar", { evento_id: "evt_999_1" }, { evento_id: "no_existe" }],
    ["/{id}/reenviar", { desde: "ayer" }, { desde: "invalido" }],
    ["/{id}/reenviar", { desde: "2027-02-30T00:00:00Z" }, { desde: "invalido" }]
  ] as const)("rejects POST /v1/webhooks%s with the body %o", ([path, body, details]) =>
    Effect.gen(function* () {
      const { calls, created } = yield* subscriber()
      const { webhook_id } = created.body.data as Record<string, unknown>
      const answer = yield* calls("POST", `/v1/webhooks${path.replace("{id}", String(webhook_id))}`, body)
      assert.deepStrictEqual([answer.status, answer.body.error?.["details"]], [422, details])
    }).pipe(Effect.scoped)
  )

  it.effect("is refused when its company has ten webhooks, and the refused request does not turn events on again", () =>
    Effect.gen(function* () {
      const { calls, companyId, path } = yield* subscriber()
      for (let number = 2; number <= 10; number++)
        yield* calls("POST", "/v1/webhooks", { url: "https://tienda.example.com" })
      const sql = yield* PgClient.PgClient
      yield* sql`select cell.turn_events(${int8(companyId)}, false, now())`
      const refused = yield* leavesRowsUnchanged(calls("POST", "/v1/webhooks", { url: "https://tienda.example.com" }))
      assert.deepStrictEqual([refused.status, refused.body.error.details], [422, { webhooks: "maximo_alcanzado" }])
      const tested = yield* leavesRowsUnchanged(calls("POST", `${path}/probar`))
      assert.deepStrictEqual([tested.status, tested.body.error.details], [422, { eventos: "apagados" }])
    }).pipe(Effect.scoped)
  )

  it.effect("receives the failed events of a time span again, both ends of the span included", () =>
    Effect.gen(function* () {
      const { calls, companyId, path, received, secrets, statuses } = yield* subscriber()
      const { pass } = yield* ManualClock
      yield* pass("1900 millis")
      statuses.push(410)
      yield* delivering
      yield* deposit(companyId, 10, "d1")
      yield* settled(calls, path, [["balance.deposited", "fallida", 1, "http_410"]])
      yield* calls("PATCH", path, { estado: "activo" })
      yield* pass("1 minute")
      yield* deposit(companyId, 20, "d2")
      const entregada = ["balance.deposited", "entregada", 1, null] as const
      yield* settled(calls, path, [entregada, ["balance.deposited", "fallida", 1, "http_410"]])
      const { items } = (yield* calls("GET", "/v1/eventos")).body.data
      const [desde, hasta] = items.map(({ timestamp }: { readonly timestamp: string }) => timestamp)
      const replayed = (span: object) =>
        Effect.map(calls("POST", `${path}/reenviar`, span), ({ body }) => body.data.eventos)
      assert.strictEqual(yield* replayed({ desde: hasta, solo_fallidas: true }), 0)
      assert.strictEqual(yield* replayed({ desde, hasta: desde, solo_fallidas: true }), 1)
      yield* settled(calls, path, [entregada, entregada])
      assert.strictEqual(yield* replayed({ desde, solo_fallidas: true }), 0)
      assert.strictEqual(yield* replayed({ desde, hasta }), 2)
      yield* settled(calls, path, [entregada, entregada])
      const [first, second] = items.map(({ id }: { readonly id: string }) => id)
      const arrived = received.map((one) => eventOf(one, secrets).id)
      assert.deepStrictEqual(arrived.toSorted(), [first, first, first, second, second].toSorted())
    }).pipe(Effect.scoped)
  )

  it.effect("stores a repeated event type once", () =>
    Effect.gen(function* () {
      const types = ["balance.low", "webhook.test"]
      const { calls, created, path } = yield* subscriber({ eventos: [...types, ...types] })
      assert.deepStrictEqual(created.body.data.eventos, types)
      const changed = yield* calls("PATCH", path, { eventos: ["balance.low", "balance.low"] })
      assert.deepStrictEqual(changed.body.data.eventos, ["balance.low"])
    }).pipe(Effect.scoped)
  )

  it.effect("signs with its two newest secrets after two rotations", () =>
    Effect.gen(function* () {
      const { calls, companyId, path, received, secrets } = yield* subscriber()
      yield* delivering
      for (const solape_horas of [168, 1]) yield* calls("POST", `${path}/secret`, { solape_horas })
      yield* deposit(companyId, 10, "d1")
      yield* settled(calls, path, [["balance.deposited", "entregada", 1, null]])
      const [event = assert.fail("nothing was received")] = received
      eventOf(event, secrets.slice(1))
    }).pipe(Effect.scoped)
  )

  it.effect("is visible only to its company, which may have at most ten, and requires a permission", () =>
    Effect.gen(function* () {
      const { calls, path } = yield* subscriber()
      for (let number = 2; number <= 11; number++) {
        const { status } = yield* calls("POST", "/v1/webhooks", { url: "https://tienda.example.com/" })
        assert.strictEqual(status, number <= 10 ? 201 : 422)
      }
      const stranger = ask((yield* customer()).apiKey)
      assert.strictEqual((yield* stranger("GET", path)).status, 404)
      assert.strictEqual((yield* stranger("PATCH", path, { estado: "pausado" })).status, 404)
      assert.strictEqual((yield* stranger("DELETE", path)).status, 404)
      assert.strictEqual((yield* stranger("POST", `${path}/probar`)).status, 404)
      const reader = ask((yield* customer({ token: { permissions: ["events.read"] } })).apiKey)
      assert.strictEqual((yield* reader("GET", "/v1/webhooks")).status, 403)
      assert.strictEqual((yield* reader("GET", "/v1/eventos")).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("cannot be created by the shared sandbox company", () =>
    Effect.gen(function* () {
      const answer = yield* call("/v1/webhooks", {
        method: "POST",
        headers: {
          authorization: "Bearer sandbox_publico.sandbox_secreto_publico_2026",
          "content-type": "application/json"
        },
        body: JSON.stringify({ url: "https://tienda.example.com" })
      })
      assert.deepStrictEqual([answer.status, answer.body.error?.["details"]], [403, { motivo: "sandbox_compartido" }])
      assert.strictEqual(sharedSandbox, "SANDBOX")
    })
  )
})
