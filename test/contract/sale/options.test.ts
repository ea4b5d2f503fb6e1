import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { as, consult, get, sell } from "../../support/service/HttpCalls.ts"
import { TestService } from "../../support/service/InMemoryService.ts"

let customers = 0
/** An identifier that no earlier test has used. */
const customer = () => `80955${String(++customers).padStart(4, "0")}7`

/** The first option that a lookup offers. */
const firstOption = (service_id: number, identifier: string, headers: Record<string, string> = {}) =>
  Effect.map(consult(service_id, identifier, headers), ({ body }) => body.data.opciones[0])

const money = Effect.map(get("/v1/saldo"), ({ body }) => body.data)
const count = Effect.map(get("/v1/transacciones"), ({ body }) => body.data.pagination.total)

layer(TestService, { excludeTestServices: true })("a sale of an option", (it) => {
  it.effect.each([
    [3, "/v1/recargas"],
    [3, "/v1/recharges"],
    [5, "/v1/recargas"],
    [5, "/v1/recharges"]
  ] as const)("of service %i at %s costs the price that the lookup returned", ([service_id, path]) =>
    Effect.gen(function* () {
      const identifier = customer()
      const { opcion_id, precio } = yield* firstOption(service_id, identifier)
      const before = yield* money
      const { body, status } = yield* sell({ service_id, identifier, opcion_id }, {}, path)
      assert.deepStrictEqual([status, body.data.status, body.data.amount], [201, "SUCCESS", precio])
      const after = yield* money
      assert.strictEqual(
        Math.round(after.saldo_actual * 100),
        Math.round(before.saldo_actual * 100) - Math.round(precio * 100)
      )
    })
  )

  it.effect("accepts the price of the option as the amount, as a number or as text", () =>
    Effect.gen(function* () {
      const identifier = customer()
      const { opcion_id, precio } = yield* firstOption(3, identifier)
      for (const amount of [precio, precio.toFixed(2)]) {
        assert.strictEqual((yield* sell({ service_id: 3, identifier, opcion_id, amount })).status, 201)
      }
    })
  )

  describe("is rejected and changes nothing", () => {
    const required = (flujo: string, como_comprar: string, consultar_en = "/v1/consultas") => ({
      opcion_id: "requerido",
      flujo,
      consultar_en,
      como_comprar
    })

    it.effect.each([
      [3, {}, required("paquetes", "Consulte y elija un paquete")],
      [3, { amount: 150 }, required("paquetes", "Consulte y elija un paquete")],
      [3, { opcion_id: null }, required("paquetes", "Consulte y elija un paquete")],
      [5, {}, required("facturas", "Consulte y elija una factura")],
      [6, {}, required("seguros", "Siga los pasos", "/v1/seguros")],
      [3, { opcion_id: "" }, { opcion_id: "longitud" }],
      [3, { opcion_id: 15 }, { opcion_id: "invalido" }],
      [3, { opcion_id: "paq-000000000000000000000000" }, { opcion_id: "invalido" }],
      [5, { opcion_id: "' or '1'='1" }, { opcion_id: "invalido" }]
    ] as const)("for service %i with %j", ([service_id, fields, details]) =>
      Effect.gen(function* () {
        const before = [yield* money, yield* count]
        const { body, status } = yield* sell({ service_id, identifier: customer(), ...fields })
        assert.deepStrictEqual([status, body.error.code, body.error.details], [422, "VALIDATION_ERROR", details])
        assert.deepStrictEqual([yield* money, yield* count], before)
      })
    )

    it.effect(
      "when the option belongs to another company, service or identifier, or the amount differs from the price",
      () =>
        Effect.gen(function* () {
          const identifier = customer()
          const { opcion_id, precio } = yield* firstOption(3, identifier)
          const bill = yield* firstOption(5, identifier)
          const foreign = yield* firstOption(3, identifier, as("vecino"))
          const before = [yield* money, yield* count]
          const asked = { service_id: 3, identifier, opcion_id }
          const invalid = { opcion_id: "invalido" }
          const refusals = [
            [{ ...asked, opcion_id: foreign.opcion_id }, invalid],
            [{ ...asked, opcion_id: bill.opcion_id }, invalid],
            [{ ...asked, service_id: 5 }, invalid],
            [{ ...asked, identifier: customer() }, invalid],
            [
              { ...asked, amount: precio + 0.01 },
              { amount: "no_coincide", precio_real: precio }
            ]
          ] as const
          for (const [body, details] of refusals) {
            const answer = yield* sell(body)
            assert.deepStrictEqual([answer.status, answer.body.error.details], [422, details])
          }
          assert.notStrictEqual(foreign.opcion_id, opcion_id)
          assert.deepStrictEqual([yield* money, yield* count], before)
        })
    )

    it.effect("in production, when the option is a simulated bill", () =>
      Effect.gen(function* () {
        const identifier = customer()
        const { opcion_id } = yield* firstOption(5, identifier, as("produccion"))
        const { body } = yield* sell({ service_id: 5, identifier, opcion_id }, as("produccion"))
        assert.deepStrictEqual(body.error.details, { opcion_id: "invalido" })
        const example = yield* firstOption(3, identifier, as("produccion"))
        const bought = yield* sell({ service_id: 3, identifier, opcion_id: example.opcion_id }, as("produccion"))
        // A package is not simulated: it comes from the catalogue. This sale fails for lack of a provider.
        assert.strictEqual(bought.body.error.code, "SERVICE_UNAVAILABLE")
      })
    )
  })

  it.effect("pays a bill once when eight attempts are concurrent, but sells a package eight times", () =>
    Effect.gen(function* () {
      const identifier = customer()
      const together = Effect.fnUntraced(function* (service_id: number) {
        const { opcion_id } = yield* firstOption(service_id, identifier)
        // Each attempt has a different idempotency key.
        const attempts = Array.from({ length: 8 }, () => sell({ service_id, identifier, opcion_id }))
        return yield* Effect.all(attempts, { concurrency: "unbounded" })
      })
      const bills = yield* together(5)
      const paid = bills.filter(({ status }) => status === 201)
      assert.strictEqual(paid.length, 1)
      for (const { body, status } of bills) {
        if (status === 201) continue
        assert.deepStrictEqual([status, body.error.code], [422, "DUPLICATE_TRANSACTION"])
        assert.deepStrictEqual(body.error.details, { transaction_id: paid[0]?.body.data.transaction_id })
      }
      const packages = yield* together(3)
      assert.isTrue(packages.every(({ status }) => status === 201))
      assert.strictEqual(new Set(packages.map(({ body }) => body.data.transaction_id)).size, 8)
    })
  )
})

layer(TestService, { excludeTestServices: true })("a sale of electricity", (it) => {
  it.effect("shows its token in the sale, the replay, the detail and the list", () =>
    Effect.gen(function* () {
      const sale = { service_id: 4, identifier: "NIC-44", amount: 150 }
      const key = { "idempotency-key": "luz" }
      const { recharge_token, transaction_id } = (yield* sell(sale, key)).body.data
      assert.match(recharge_token, /^(\d{4} ){4}\d{4}$/)
      assert.strictEqual((yield* sell(sale, key)).body.data.recharge_token, recharge_token)
      const detail = (yield* get(`/v1/transacciones/${transaction_id}`)).body.data
      const list = (yield* get("/v1/transacciones?identifier=NIC-44")).body.data
      assert.deepStrictEqual([detail.recharge_token, list.items[0].recharge_token], [recharge_token, recharge_token])
    })
  )
})
