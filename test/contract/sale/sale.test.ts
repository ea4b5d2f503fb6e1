import { createHash, randomUUID } from "node:crypto"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { customer } from "../../support/service/CustomerCompany.ts"
import { get, post, sell } from "../../support/service/HttpCalls.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

const sale = { service_id: 1, identifier: "8095550003", amount: 100 }

const long = (characters: number) => "7".repeat(characters - 1).concat("😀")

/**
 * Services of the example catalogue: 3 sells packages, 4 electricity from 100 pesos, 5 bills, and 8 takes any amount.
 * Service 1, a phone top-up, takes 20 to 5000 pesos.
 */
const [packages, electricity, bills, anyAmount] = [3, 4, 5, 8]

type Row = readonly [body: object, details: object]

const refused: ReadonlyArray<Row> = [
  [{ service_id: undefined }, { service_id: "requerido" }],
  [{ service_id: "1" }, { service_id: "invalido" }],
  [{ service_id: 0 }, { service_id: "invalido" }],
  [{ identifier: undefined }, { identifier: "requerido" }],
  [{ identifier: "80" }, { identifier: "longitud" }],
  [{ identifier: "7".repeat(101) }, { identifier: "longitud" }],
  [{ identifier: "809\u0000555" }, { identifier: "invalido" }],
  [{ identifier: "809\ud800555" }, { identifier: "invalido" }],
  [{ identifier: "809\u202e4321" }, { identifier: "invalido" }],
  [{ identifier: "\ufeff8095550003" }, { identifier: "invalido" }],
  [{ terminal_id: "caja\u200b1" }, { terminal_id: "invalido" }],
  [{ opcion_id: "paq\u200e1" }, { opcion_id: "invalido" }],
  [{ terminal_id: "7".repeat(51) }, { terminal_id: "longitud" }],
  [{ amount: undefined }, { amount: "requerido" }],
  [{ amount: 0 }, { amount: "fuera_de_rango" }],
  [{ amount: -1 }, { amount: "fuera_de_rango" }],
  [{ amount: 0.001 }, { amount: "max_2_decimales" }],
  [{ amount: 100.555 }, { amount: "max_2_decimales" }],
  [{ amount: "100.555" }, { amount: "max_2_decimales" }],
  [{ amount: 19.99 }, { amount: "fuera_de_rango", monto_minimo: 20, monto_maximo: 5000 }],
  [{ amount: 5000.01 }, { amount: "fuera_de_rango", monto_minimo: 20, monto_maximo: 5000 }],
  [
    { amount: 99, service_id: electricity },
    { amount: "fuera_de_rango", monto_minimo: 100, monto_maximo: 10_000 }
  ],
  [{ empresa_id: "1" }, { empresa_id: "invalido" }],
  [
    { amount: "x", identifier: "8", terminal_id: 5 },
    { amount: "invalido", identifier: "longitud", terminal_id: "invalido" }
  ]
]

const withAmount = (amount: string) => `{"service_id":1,"identifier":"8095550003","amount":${amount}}`

const nothing = { service_id: "requerido", identifier: "requerido" }

/** Invalid bodies as JSON text, each with the details of the error. */
const refusedTexts: ReadonlyArray<readonly [body: string, details: object]> = [
  ["", nothing],
  ["{}", nothing],
  ['{"__proto__":{"service_id":1,"identifier":"8095550003"}}', nothing],
  [withAmount("10.0000000000000001"), { amount: "max_2_decimales" }],
  [withAmount("10.100"), { amount: "max_2_decimales" }],
  [withAmount("1e309"), { amount: "fuera_de_rango" }]
]

const accepted: ReadonlyArray<readonly [body: object, amount: number]> = [
  [{ amount: 20 }, 20],
  [{ amount: 5000 }, 5000],
  [{ amount: 20.5 }, 20.5],
  [{ amount: "100.50" }, 100.5],
  [{ amount: 0.01, service_id: anyAmount }, 0.01],
  [{ amount: 6000, service_id: anyAmount }, 6000],
  [{ identifier: "777" }, 100],
  [{ identifier: long(100), service_id: anyAmount }, 100],
  [{ identifier: "👩‍👩‍👧 ☂️ 1️⃣", service_id: anyAmount }, 100],
  [{ terminal_id: long(50) }, 100],
  [{ terminal_id: null, opcion_id: null, otro: [{}] }, 100]
]

layer(SpreadTestServer, { excludeTestServices: true })("a sale (contract 4.5)", (it) => {
  describe.each(["/v1/recargas", "/v1/recharges"])("at %s", (path) => {
    it.effect("returns the fields of contract 2.5 and an xid computed from the key", () =>
      Effect.gen(function* () {
        const { auth, companyId } = yield* customer()
        const key = randomUUID()
        const { body, status } = yield* sell(
          { ...sale, terminal_id: "caja-1" },
          { ...auth, "idempotency-key": key },
          path
        )
        assert.strictEqual(status, 201)
        const { transaction_id, ...data } = body.data
        const xid = `RD-${createHash("sha256").update(`${companyId}:${key}`).digest("hex").slice(0, 24)}`
        const sold = {
          status: "SUCCESS",
          xid,
          service: { id: 1, nombre: "Recarga Caribe Móvil" },
          identifier: "8095550003",
          amount: 100,
          currency: "DOP",
          message: "Operación exitosa.",
          auth_code: data.auth_code
        }
        assert.deepStrictEqual(data, { ...sold, processed_at: "2026-03-11T10:00:00-04:00" })
        assert.match(data.auth_code, /^SBX/)
        const detail = (yield* get(`/v1/transacciones/${transaction_id}`, auth)).body.data
        const local = "2026-03-11 10:00:00"
        const more = {
          transaction_id,
          anulacion: null,
          reference: xid,
          terminal_id: "caja-1",
          created_at: local,
          processed_at: local
        }
        assert.deepStrictEqual(detail, { ...sold, ...more })
      })
    )

    it.effect.each(refused)("rejects the fields %j with the details %j", ([wrong, details]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const { body, status } = yield* leavesRowsUnchanged(sell({ ...sale, ...wrong }, auth, path))
        assert.deepStrictEqual([status, body.error.code], [422, "VALIDATION_ERROR"])
        assert.deepStrictEqual(body.error.details, details)
      })
    )

    it.effect.each(refusedTexts)("rejects the JSON text %j with the details %j", ([text, details]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const { body, status } = yield* leavesRowsUnchanged(sell(text, auth, path))
        assert.deepStrictEqual([status, body.error.details], [422, details])
      })
    )

    it.effect.each(["application/JSON ; charset=UTF-8", "application/json\t;\tcharset=utf-8"])(
      "accepts the content type %j",
      (type) =>
        Effect.gen(function* () {
          const { auth } = yield* customer()
          assert.strictEqual((yield* sell(sale, { ...auth, "content-type": type }, path)).status, 201)
        })
    )

    it.effect.each(accepted)("accepts the fields %j and charges %d pesos", ([right, amount]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer({ money: 10_000 })
        const wanted = { ...sale, ...right }
        const { body, status } = yield* sell(wanted, auth, path)
        assert.deepStrictEqual([status, body.data?.amount, body.data?.identifier], [201, amount, wanted.identifier])
        const { data } = (yield* get(`/v1/transacciones/${body.data.transaction_id}`, auth)).body
        assert.strictEqual(data.terminal_id, "terminal_id" in wanted ? wanted.terminal_id : null)
        assert.strictEqual(
          (yield* get("/v1/saldo", auth)).body.data.saldo_actual,
          Math.round((10_000 - amount) * 100) / 100
        )
      })
    )

    it.effect.each([
      [packages, "paquetes"],
      [bills, "facturas"]
    ] as const)("of service %i requires an option from a lookup", ([service_id, flujo]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const { body, status } = yield* leavesRowsUnchanged(sell({ service_id, identifier: "8095550003" }, auth, path))
        const { como_comprar, ...details } = body.error.details
        assert.deepStrictEqual([status, body.error.code], [422, "VALIDATION_ERROR"])
        assert.deepStrictEqual(details, { opcion_id: "requerido", flujo, consultar_en: "/v1/consultas" })
        assert.include(como_comprar, "/v1/consultas")
        const unknown = yield* leavesRowsUnchanged(
          sell({ service_id, identifier: "8095550003", opcion_id: "no-es" }, auth, path)
        )
        assert.deepStrictEqual([unknown.status, unknown.body.error.details], [422, { opcion_id: "invalido" }])
      })
    )

    it.effect("is rejected before the call to the provider when the balance is too low", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer({ money: 50 })
        const { body, status } = yield* leavesRowsUnchanged(sell({ ...sale, amount: 50.01 }, auth, path))
        assert.deepStrictEqual([status, body.error.code], [422, "INSUFFICIENT_BALANCE"])
        assert.deepStrictEqual(body.error.details, { saldo_disponible: 50, monto_requerido: 50.01 })
        assert.strictEqual((yield* sell({ ...sale, amount: 50 }, auth, path)).status, 201)
        assert.strictEqual((yield* get("/v1/saldo", auth)).body.data.saldo_actual, 0)
      })
    )

    it.effect.each([
      ["unknown", 99, 422, "INVALID_PRODUCT"],
      ["only for companies with insurance", 6, 403, "FORBIDDEN"]
    ] as const)("of a service that is %s is rejected", ([, service_id, expected, code]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const { body, status } = yield* leavesRowsUnchanged(sell({ ...sale, service_id }, auth, path))
        assert.deepStrictEqual([status, body.error.code], [expected, code])
      })
    )

    it.effect("in production is rejected while no provider is configured; the simulator is not used", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer({ company: { environment: "production" } })
        const { body, status } = yield* leavesRowsUnchanged(sell(sale, auth, path))
        assert.deepStrictEqual([status, body.error.code], [422, "SERVICE_UNAVAILABLE"])
      })
    )

    it.effect.each([
      [undefined, "requerido"],
      ["", "longitud"],
      ["k".repeat(129), "longitud"]
    ] as const)("requires an idempotency key and rejects the key %j", ([key, reason]) =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        // Uses `post`, because `sell` would generate a key.
        const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key }
        const told = (wanted: object) => leavesRowsUnchanged(post(path, wanted, { ...auth, ...headers }))
        const { body, status } = yield* told({ ...sale, idempotency_key: "del-cuerpo" })
        assert.deepStrictEqual([status, body.error.details], [422, { "Idempotency-Key": reason }])
        // An error in the body is reported before an error in the key.
        assert.deepStrictEqual((yield* told({ ...sale, amount: "x" })).body.error.details, { amount: "invalido" })
      })
    )

    it.effect("is a new sale when the same body, or a changed body, is sent under a new key", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        yield* sell(sale, auth, path)
        yield* sell(sale, auth, path)
        yield* sell({ ...sale, identifier: "809-555-0003" }, auth, path)
        const { data } = (yield* get("/v1/saldo", auth)).body
        assert.deepStrictEqual([data.saldo_actual, data.saldo_retenido, data.consumo_periodo.diario], [800, 0, 200])
        const { items } = (yield* get("/v1/transacciones?status=FAILED", auth)).body.data
        assert.deepStrictEqual([items.length, items[0].identifier], [1, "809-555-0003"])
        // The message is the same when the provider was not reached, so it does not mention a refusal.
        assert.strictEqual(items[0].message, "Operación no realizada; el monto fue devuelto.")
      })
    )
  })
})
