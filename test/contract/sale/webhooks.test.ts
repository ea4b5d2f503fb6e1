import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { assert, layer, vi } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import { sharedSandbox } from "../../../core/domain/Company.ts"
import { keepDelivering } from "../../../core/workflows/DeliverEvents.ts"
import { EventView, eventView } from "../../../facade/api/Eventos.ts"
import { RequestCounter } from "../../fakes/FakeServer.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer, deposit } from "../../support/service/CustomerCompany.ts"
import { as, call, sell } from "../../support/service/HttpCalls.ts"
import { testServer } from "../../support/service/TestServer.ts"

interface Received {
  readonly headers: Record<string, string>
  readonly body: string
}

/** An endpoint of a company. It answers with the next status of the list, and 200 when the list is empty. */
const endpoint = Effect.gen(function* () {
  const received: Array<Received> = []
  const statuses: Array<number> = []
  const counter = new RequestCounter()
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers as Record<string, string>, body: await text(request) })
    response.writeHead(statuses.shift() ?? 200).end()
    counter.arrive()
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
    () => Effect.sync(() => void server.close().closeAllConnections())
  )
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/saldo`, received, statuses, arrived: (n: number) => counter.reach(n) }
})

const ask = (apiKey: string) => (method: string, path: string, body?: object) =>
  call(path, {
    method,
    headers: { ...as(apiKey), ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })

/** A company, its calls, and a webhook that leads to a real endpoint. */
const subscriber = Effect.fnUntraced(function* (wish: object = {}) {
  const company = yield* customer()
  const calls = ask(company.apiKey)
  const to = yield* endpoint
  const created = yield* calls("POST", "/v1/webhooks", { url: to.url, ...wish })
  assert.strictEqual(created.status, 201)
  const { secreto, webhook_id } = created.body.data as { secreto: string; webhook_id: number }
  return { ...company, calls, ...to, created, secreto, path: `/v1/webhooks/${webhook_id}` }
})

/** Sends deliveries in the background, as a server does. */
const delivering = Effect.forkScoped(keepDelivering((event) => JSON.stringify(eventView(event))))

/** Verifies the signature at the time of the attempt: the server's clock is not the time of this machine. */
const verified = (secret: string, { body, headers }: Received) => {
  const clock = vi.spyOn(Date, "now").mockReturnValue(Number(headers["webhook-timestamp"]) * 1000)
  try {
    return new Webhook(secret).verify(body, headers)
  } finally {
    clock.mockRestore()
  }
}

/** Waits until the deliveries of a webhook look like this. The clock passes, so that retries become due. */
const settled = Effect.fnUntraced(function* (
  calls: ReturnType<typeof ask>,
  path: string,
  expected: ReadonlyArray<readonly [type: string, estado: string, intento: number, error: string | null]>
) {
  const clock = yield* ManualClock
  for (let look = 0; ; look++) {
    yield* clock.pass("20 millis")
    const { body } = yield* calls("GET", `${path}/entregas`)
    const items = (body.data as { items: ReadonlyArray<Record<string, unknown>> }).items
    const shown = items.map(({ error, estado, intento, type }) => [type, estado, intento, error])
    if (JSON.stringify(shown) === JSON.stringify(expected)) return items
    if (look === 400)
      assert.deepStrictEqual(
        shown,
        expected.map((one) => [...one])
      )
    yield* Effect.yieldNow
  }
})

const sale = { service_id: 1, identifier: "8095550123", amount: 50 }

const Server = testServer({ WEBHOOK_ALLOW_LOCAL: "on" })

layer(Server, { excludeTestServices: true })("a webhook (contract 6)", (it) => {
  it.effect("receives a signed event for a sale, with the detail of the sale", () =>
    Effect.gen(function* () {
      const { apiKey, arrived, calls, companyId, path, received, secreto } = yield* subscriber()
      yield* delivering
      const sold = yield* sell(sale, as(apiKey))
      yield* arrived(1)
      yield* settled(calls, path, [["transaction.succeeded", "entregada", 1, null]])
      const [event] = received
      if (event === undefined) return assert.fail("nothing was received")
      const body = verified(secreto, event)
      assert.isTrue(Schema.is(EventView)(body))
      const { data } = (yield* calls("GET", `/v1/transacciones/${sold.body.data?.["transaction_id"]}`)).body
      assert.deepInclude(body, { type: "transaction.succeeded", empresa_id: companyId, data })
      assert.strictEqual(event.headers["webhook-id"], (body as { id: string }).id)
    }).pipe(Effect.scoped)
  )

  it.effect("shows its secret only when it is created", () =>
    Effect.gen(function* () {
      const { calls, created, path } = yield* subscriber({ eventos: ["balance.low"], descripcion: "caja" })
      const { secreto, ...shown } = created.body.data as Record<string, unknown>
      assert.match(String(secreto), /^whsec_/)
      assert.deepStrictEqual((yield* calls("GET", path)).body.data, shown)
      assert.deepStrictEqual((yield* calls("GET", "/v1/webhooks")).body.data, { items: [shown] })
    }).pipe(Effect.scoped)
  )

  it.effect("is tried again after a failure, with the same id", () =>
    Effect.gen(function* () {
      const { arrived, calls, companyId, path, received, secreto, statuses } = yield* subscriber()
      statuses.push(500, 301)
      yield* delivering
      yield* deposit(companyId, 10, "d1")
      yield* arrived(1)
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
      assert.lengthOf(new Set(received.map((one) => (verified(secreto, one) as { id: string }).id)), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("is disabled by 410, and resumes when it is activated", () =>
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

  it.effect("signs with two secrets during a rotation", () =>
    Effect.gen(function* () {
      const { calls, companyId, path, received, secreto } = yield* subscriber()
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
      assert.lengthOf(during.headers["webhook-signature"]?.split(" ") ?? [], 2)
      assert.lengthOf(after.headers["webhook-signature"]?.split(" ") ?? [], 1)
      assert.notStrictEqual(secreto, next)
    }).pipe(Effect.scoped)
  )

  it.effect("receives only its types, and none while it is paused or after it is deleted", () =>
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

  it.effect("receives a test event on request, whatever its types", () =>
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

  // Path and body -> details of the 422.
  it.effect.each([
    ["", { url: "http://[::1" }, { url: "no_permitida" }],
    ["", { url: "https://ana:clave@tienda.example.com/" }, { url: "no_permitida" }],
    ["", { url: "https://10.0.0.1/" }, { url: "no_permitida" }],
    ["", {}, { url: "requerido" }],
    ["", { url: "https://tienda.example.com", eventos: ["venta"] }, { eventos: "invalido" }],
    ["/{id}/secreto", { solape_horas: 169 }, { solape_horas: "fuera_de_rango" }],
    ["/{id}/reenviar", {}, { evento_id: "requerido" }],
    ["/{id}/reenviar", { evento_id: "evt_1_1", desde: "2026-01-01T00:00:00Z" }, { desde: "sobra" }],
    ["/{id}/reenviar", { evento_id: "evt_999_1" }, { evento_id: "no_existe" }],
    ["/{id}/reenviar", { desde: "ayer" }, { desde: "invalido" }]
  ] as const)("refuses POST /v1/webhooks%s with %o", ([path, body, details]) =>
    Effect.gen(function* () {
      const { calls, created } = yield* subscriber()
      const { webhook_id } = created.body.data as Record<string, unknown>
      const answer = yield* calls("POST", `/v1/webhooks${path.replace("{id}", String(webhook_id))}`, body)
      assert.deepStrictEqual([answer.status, answer.body.error?.["details"]], [422, details])
    }).pipe(Effect.scoped)
  )

  it.effect("belongs to its company, which may have ten, and needs a permission", () =>
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

  it.effect("is refused to the shared sandbox", () =>
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

layer(Server, { excludeTestServices: true })("the list of events (contract 6)", (it) => {
  it.effect("is read by a cursor, oldest first, and by type", () =>
    Effect.gen(function* () {
      const { apiKey, calls, companyId } = yield* subscriber()
      yield* deposit(companyId, 10, "d1")
      yield* sell(sale, as(apiKey))
      yield* deposit(companyId, 20, "d2")
      const read = Effect.fnUntraced(function* (query: string) {
        const { data } = (yield* calls("GET", `/v1/eventos${query}`)).body
        const { items, siguiente } = data as { items: ReadonlyArray<{ type: string }>; siguiente: number }
        return [items.map(({ type }) => type), siguiente]
      })
      assert.deepStrictEqual(yield* read("?limite=2"), [["balance.deposited", "transaction.succeeded"], 2])
      assert.deepStrictEqual(yield* read("?despues_de=2"), [["balance.deposited"], 3])
      assert.deepStrictEqual(yield* read("?despues_de=3"), [[], 3])
      assert.deepStrictEqual(yield* read("?type=transaction.succeeded"), [["transaction.succeeded"], 2])
    }).pipe(Effect.scoped)
  )

  it.effect("waits for the first event", () =>
    Effect.gen(function* () {
      const { calls, companyId } = yield* subscriber()
      const clock = yield* ManualClock
      const waiting = yield* Effect.forkChild(calls("GET", "/v1/eventos?esperar=25"))
      yield* deposit(companyId, 10, "d1")
      while (waiting.pollUnsafe() === undefined) {
        yield* clock.pass("600 millis")
        yield* Effect.promise(() => new Promise(setImmediate))
      }
      const { body } = yield* Fiber.join(waiting)
      assert.lengthOf((body.data as { items: ReadonlyArray<unknown> }).items, 1)
    }).pipe(Effect.scoped)
  )

  it.effect.each(["despues_de=-1", "limite=0", "limite=501", "esperar=26", "type=venta"])("refuses %s", (query) =>
    Effect.gen(function* () {
      const { apiKey } = yield* customer()
      assert.strictEqual((yield* ask(apiKey)("GET", `/v1/eventos?${query}`)).status, 422)
    })
  )
})
