import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer, deposit } from "../../support/service/CustomerCompany.ts"
import { as, sell } from "../../support/service/HttpCalls.ts"
import { ask, subscriber, WebhookServer } from "../../support/service/WebhookCalls.ts"

const sale = { service_id: 1, identifier: "8095550123", amount: 50 }

layer(WebhookServer, { excludeTestServices: true })("the list of events (contract 6)", (it) => {
  it.effect("is read oldest first from a cursor, and can be filtered by type", () =>
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
      const alias = yield* calls("GET", "/v1/events?limite=2")
      assert.deepStrictEqual(alias.body.data, (yield* calls("GET", "/v1/eventos?limite=2")).body.data)
      assert.deepStrictEqual(yield* read("?limite=2"), [["balance.deposited", "transaction.succeeded"], 2])
      assert.deepStrictEqual(yield* read("?despues_de=2"), [["balance.deposited"], 3])
      assert.deepStrictEqual(yield* read("?despues_de=3"), [[], 3])
      assert.deepStrictEqual(yield* read("?type=transaction.succeeded"), [["transaction.succeeded"], 3])
    }).pipe(Effect.scoped)
  )

  it.effect("waits up to `esperar` seconds for an event when the list is empty", () =>
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

  // Query -> details of the 422.
  it.effect.each([
    ["despues_de=-1", { despues_de: "fuera_de_rango" }],
    ["despues_de=9007199254740992", { despues_de: "fuera_de_rango" }],
    ["despues_de=evt_1_1", { despues_de: "invalido" }],
    ["limite=0", { limite: "fuera_de_rango" }],
    ["limite=501", { limite: "fuera_de_rango" }],
    ["limite=1.5", { limite: "invalido" }],
    ["esperar=26", { esperar: "fuera_de_rango" }],
    ["limite=&esperar=x", { limite: "invalido", esperar: "invalido" }],
    ["type=venta", { type: "invalido" }]
  ] as const)("rejects the query %s with the details %j", ([query, details]) =>
    Effect.gen(function* () {
      const { apiKey } = yield* customer()
      const { body, status } = yield* ask(apiKey)("GET", `/v1/eventos?${query}`)
      assert.deepStrictEqual([status, body.error.details], [422, details])
    })
  )
})
