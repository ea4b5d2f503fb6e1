import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { call, get, raw, sell } from "../../support/service/HttpCalls.ts"
import { secret, TestService } from "../../support/service/InMemoryService.ts"

const sale = { service_id: 1, identifier: "8095551234", amount: 100 }

layer(TestService, { excludeTestServices: true })("a sale over REST", (it) => {
  it.effect("delivers, and is found again", () =>
    Effect.gen(function* () {
      const { body, status } = yield* sell({ ...sale, terminal_id: "caja-1" })
      const { auth_code, processed_at, transaction_id, xid, ...rest } = body.data
      assert.strictEqual(status, 201)
      assert.deepStrictEqual(rest, {
        status: "SUCCESS",
        service: { id: 1, nombre: "Recarga Caribe Móvil" },
        identifier: "8095551234",
        amount: 100,
        currency: "DOP",
        message: "Operación exitosa."
      })
      assert.match(auth_code, /^SBX/)
      assert.match(processed_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-04:00$/)
      const { data } = (yield* get(`/v1/transactions/${transaction_id}`)).body
      assert.deepStrictEqual(
        [data.xid, data.reference, data.terminal_id, data.status, data.recharge_token],
        [xid, xid, "caja-1", "SUCCESS", undefined]
      )
      assert.match(data.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
      const list = (yield* get("/v1/transacciones?identifier=8095551234&status=SUCCESS&per_page=1")).body
      assert.strictEqual(list.data.items.length, 1)
      assert.include(list.message, String(list.data.pagination.total))
    })
  )

  it.effect("carries a token when it is electricity", () =>
    Effect.map(sell({ ...sale, service_id: 4, terminal_id: null }), ({ body }) =>
      assert.match(body.data.recharge_token, /^(\d{4} ){4}\d{4}$/)
    )
  )

  it.effect("replays for the same key and body, however the body is written", () =>
    Effect.gen(function* () {
      const key = { "idempotency-key": "clave-ñ".normalize("NFC").replace("ñ", "n") }
      const first = yield* sell({ ...sale, amount: "100.00" }, key)
      const second = yield* sell('{"amount":1e2, "identifier":"8095551234", "service_id":1.0, "extra":[1]}', key)
      assert.deepStrictEqual([first.status, first.headers.get("idempotent-replay")], [201, null])
      assert.deepStrictEqual([second.status, second.headers.get("idempotent-replay")], [201, "true"])
      assert.deepStrictEqual(second.body.data, first.body.data)
      const other = yield* sell({ ...sale, amount: 101 }, key)
      assert.deepStrictEqual(
        [other.status, other.body.error.details],
        [422, { "Idempotency-Key": "clave_reutilizada" }]
      )
    })
  )

  it.effect("whose outcome is unknown tells where to look", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* sell({ ...sale, identifier: "8095551212" })
      const { consultar_en, transaction_id, ...rest } = body.error.details
      assert.deepStrictEqual([status, body.success, body.error.code], [202, false, "TRANSACTION_PENDING"])
      assert.deepStrictEqual([rest.status, consultar_en], ["PENDING", `/v1/transacciones/${transaction_id}`])
      assert.deepStrictEqual([headers.get("location"), headers.get("retry-after")], [consultar_en, "10"])
      assert.strictEqual((yield* get(consultar_en)).body.data.processed_at, null)
    })
  )

  it.effect.each([
    [{ ...sale, identifier: "8095551230" }, "INVALID_PHONE"],
    [{ ...sale, identifier: "8095551231" }, "TRANSACTION_REJECTED"],
    [{ ...sale, service_id: 99 }, "INVALID_PRODUCT"],
    [{ ...sale, amount: 5_000, identifier: "x".repeat(101) }, "VALIDATION_ERROR"]
  ])("of %j is refused with %s", ([body, code]) =>
    Effect.map(sell(body), (answer) => assert.deepStrictEqual([answer.status, answer.body.error.code], [422, code]))
  )

  describe("is refused before anything happens", () => {
    const long = "a".repeat(129)
    it.effect.each([
      ["{", { body: "json_invalido" }],
      ["[]", { body: "json_invalido" }],
      ["null", { body: "json_invalido" }],
      ['{"a":1,"\\u0061":2}', { body: "json_invalido" }],
      ['{"a":1,}', { body: "json_invalido" }],
      ["[".repeat(200), { body: "json_invalido" }],
      [`{"a":${"[".repeat(32)}${"]".repeat(32)}}`, { body: "json_invalido" }],
      ["", { service_id: "requerido", identifier: "requerido" }],
      ["{}", { service_id: "requerido", identifier: "requerido" }],
      [{ ...sale, service_id: "1" }, { service_id: "invalido" }],
      [{ ...sale, service_id: 1.5 }, { service_id: "invalido" }],
      [{ ...sale, service_id: null }, { service_id: "requerido" }],
      [{ ...sale, identifier: 8095551234 }, { identifier: "invalido" }],
      [{ ...sale, identifier: "ab" }, { identifier: "longitud" }],
      [{ ...sale, identifier: "809\u0000555" }, { identifier: "invalido" }],
      [{ ...sale, identifier: "809\ud800555" }, { identifier: "invalido" }],
      [{ ...sale, terminal_id: "x".repeat(51) }, { terminal_id: "longitud" }],
      [{ ...sale, amount: "1,000" }, { amount: "invalido" }],
      [{ ...sale, amount: true }, { amount: "invalido" }],
      [{ ...sale, amount: -5 }, { amount: "fuera_de_rango" }],
      [`{"service_id":1,"identifier":"8095551234","amount":10.0000000000000001}`, { amount: "max_2_decimales" }],
      [`{"service_id":1,"identifier":"8095551234","amount":10.100}`, { amount: "max_2_decimales" }],
      [`{"service_id":1,"identifier":"8095551234","amount":1e309}`, { amount: "fuera_de_rango" }],
      [
        { ...sale, amount: 10 },
        { amount: "fuera_de_rango", monto_minimo: 20, monto_maximo: 5_000 }
      ],
      [{ service_id: 1, identifier: "8095551234" }, { amount: "requerido" }],
      ['{"__proto__":{"service_id":1,"identifier":"8095551234"}}', { service_id: "requerido", identifier: "requerido" }]
    ] as ReadonlyArray<readonly [unknown, Record<string, unknown>]>)("%j", ([body, details]) =>
      Effect.map(sell(body), (answer) =>
        assert.deepStrictEqual(
          [answer.status, answer.body.error.code, answer.body.error.details],
          [422, "VALIDATION_ERROR", details]
        )
      )
    )

    it.effect.each([
      [{ "idempotency-key": "" }, { "Idempotency-Key": "longitud" }],
      [{ "idempotency-key": long }, { "Idempotency-Key": "longitud" }],
      [{ "idempotency-key": "a\u0085b" }, { "Idempotency-Key": "invalido" }]
    ])("a key such as %j", ([headers, details]) =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* sell(sale, headers)).body.error.details, details)
        assert.deepStrictEqual((yield* sell({ ...sale, amount: "x" }, headers)).body.error.details, {
          amount: "invalido"
        })
      })
    )

    it.effect("no key, or two", () =>
      Effect.gen(function* () {
        const body = JSON.stringify({ ...sale, idempotency_key: "del-cuerpo" })
        const send = (keys: string) =>
          raw(
            `POST /v1/recargas HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer todo.${secret}\r\nContent-Type: application/json\r\n${keys}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
          )
        assert.deepStrictEqual((yield* send("")).body.error.details, { "Idempotency-Key": "requerido" })
        const two = yield* send("Idempotency-Key: a\r\nidempotency-key: b\r\n")
        assert.deepStrictEqual(two.body.error.details, { "Idempotency-Key": "invalido" })
      })
    )

    it.effect.each([
      ["text/plain", 415],
      ["application/json; charset=latin1", 415],
      ["application/jsonp", 415],
      ["application/JSON ; charset=UTF-8", 201],
      ["application/json\t;\tcharset=utf-8", 201]
    ] as const)("a body of type %s -> %i", ([type, status]) =>
      Effect.map(sell(sale, { "content-type": type }), (answer) => assert.strictEqual(answer.status, status))
    )

    it.effect("a body that is too large, or not UTF-8; a byte order mark is nothing", () =>
      Effect.gen(function* () {
        const large = yield* sell({ ...sale, extra: "x".repeat(70_000) })
        assert.deepStrictEqual([large.status, large.body.error.details], [413, { body: "demasiado_grande" }])
        const latin1 = yield* sell(new Uint8Array(Buffer.from('{"identifier":"ñandú"}', "latin1")))
        assert.deepStrictEqual(latin1.body.error.details, { body: "json_invalido" })
        assert.strictEqual((yield* sell(`\ufeff${JSON.stringify(sale)}`)).status, 201)
      })
    )
  })

  it.effect("moves nothing when it is refused", () =>
    Effect.gen(function* () {
      const before = (yield* get("/v1/saldo")).body.data
      yield* sell({ ...sale, amount: 10.001 })
      yield* sell({ ...sale, identifier: "8095551230" })
      yield* call("/v1/recargas", { method: "POST", body: JSON.stringify(sale) })
      const after = (yield* get("/v1/saldo")).body.data
      assert.strictEqual(after.saldo_actual, before.saldo_actual)
      assert.strictEqual(after.saldo_retenido, before.saldo_retenido)
      assert.strictEqual(after.saldo_actual, after.saldo_disponible + after.saldo_retenido)
      assert.deepStrictEqual(Object.keys(after).length, 10)
    })
  )
})
