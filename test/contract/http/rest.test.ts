import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ServiceAddress } from "../../support/InProcessService.ts"
import { as, call, get, raw } from "../../support/service/HttpCalls.ts"
import { TestService } from "../../support/service/InMemoryService.ts"
import { anotherServer, TestServer } from "../../support/service/TestServer.ts"

layer(TestServer, { excludeTestServices: true })("/v1/info", (it) => {
  it.effect.each([
    [{}, "production"],
    [{ ENVIRONMENT: "" }, "production"],
    [{ ENVIRONMENT: "ensayo_2-Sur" }, "ensayo_2-Sur"],
    [{ ENVIRONMENT: "e".repeat(32) }, "e".repeat(32)]
  ] as const)("with the settings %j names the deployment %s", ([environment, name]) =>
    Effect.gen(function* () {
      const there = yield* anotherServer(environment)
      const { body, status } = yield* there(call("/v1/info"))
      assert.deepStrictEqual([status, body.data.environment], [200, name])
    })
  )
})

const sale = { service_id: 1, identifier: "8095551234", amount: 100 }

layer(TestService, { excludeTestServices: true })("REST", (it) => {
  describe("an endpoint", () => {
    it.effect.each([
      ["/v1/estado", "/v1/health"],
      ["/v1/cuenta", "/v1/account"],
      ["/v1/saldo", "/v1/balance"],
      ["/v1/servicios", "/v1/services"],
      ["/v1/categorias", "/v1/categories"],
      ["/v1/transacciones", "/v1/transactions"]
    ] as const)("answers at %s and at its alias %s", ([path, alias]) =>
      Effect.gen(function* () {
        for (const at of [path, alias]) {
          const { body, headers, status } = yield* get(at)
          assert.deepStrictEqual([status, body.success, typeof body.message], [200, true, "string"])
          assert.strictEqual(headers.get("x-request-id"), body.request_id)
          assert.strictEqual(headers.get("x-frame-options"), "DENY")
          assert.strictEqual(headers.get("access-control-allow-origin"), "*")
          for (const name of ["limit", "remaining", "reset"])
            assert.match(headers.get(`x-ratelimit-${name}`) ?? "", /^\d+$/)
        }
      })
    )

    it.effect("describes the service at /v1/info", () =>
      Effect.gen(function* () {
        const { url } = yield* ServiceAddress
        const { body } = yield* call("/v1/info")
        assert.deepStrictEqual(body.data, {
          application: "Saldo",
          api_version: "v1",
          environment: "production",
          documentation: `${url}/docs`,
          currency: "DOP",
          timezone: "America/Santo_Domingo"
        })
      })
    )

    it.effect("answers HEAD with the headers of GET and no body", () =>
      Effect.gen(function* () {
        const head = yield* call("/v1/saldo", { method: "HEAD", headers: as("todo") })
        assert.deepStrictEqual([head.status, head.text], [200, ""])
        assert.isAbove(Number(head.headers.get("content-length")), 100)
      })
    )

    it.effect.each([
      ["GET", "/"],
      ["GET", "/v1/nada"],
      ["DELETE", "/v1/recargas"],
      ["GET", "/v1/recargas"],
      ["GET", "/V1/saldo"],
      ["GET", "/v1/saldo/"],
      ["GET", "/v1//saldo"],
      ["GET", "/v1/%ZZ"]
    ] as const)("does not exist as %s %s", ([method, path]) =>
      Effect.gen(function* () {
        const { body, headers, status } = yield* call(path, { method })
        assert.deepStrictEqual(
          [status, body.error.code, body.request_id],
          [404, "NOT_FOUND", headers.get("x-request-id")]
        )
      })
    )

    it.effect("ignores unknown parameters", () =>
      Effect.map(get("/v1/transacciones?nada=%00&nada=1"), ({ status }) => assert.strictEqual(status, 200))
    )

    it.effect("answers a CORS preflight on any path", () =>
      Effect.gen(function* () {
        const { headers, status, text } = yield* call("/v1/nada", { method: "OPTIONS" })
        assert.deepStrictEqual([status, text, headers.get("access-control-allow-origin")], [204, "", "*"])
        assert.strictEqual(headers.get("x-ratelimit-remaining"), "5")
      })
    )

    it.effect.each([
      ...["authorization", "x-api-key", "x-api-secret", "idempotency-key", "if-none-match", "content-type"],
      ...["trpc-accept", "x-trpc-source", "traceparent", "tracestate", "baggage", "x-requested-with"]
    ])("allows scripts of other origins to send %s", (name) =>
      Effect.gen(function* () {
        const asked = { "access-control-request-method": "POST", "access-control-request-headers": name }
        const { headers } = yield* call("/trpc/recargas.crear", { method: "OPTIONS", headers: asked })
        const allowed = (headers.get("access-control-allow-headers") ?? "").toLowerCase().split(", ")
        assert.include(allowed, name)
        // In browsers that know the asterisk, it allows any header except Authorization.
        assert.include(allowed, "*")
      })
    )
  })

  describe("the catalogue", () => {
    it.effect.each([
      ["", [1, 2, 4, 3, 5, 6]],
      ["?categoria=Recargas", [1, 2, 3]],
      ["?categoria=recargas", []],
      ["?q=ELÉC", [4]],
      ["?q=nada", []],
      ["?q=^a", []],
      ["?q=%60", []],
      ["?q=%C2%B4", []],
      ["?q=%C2%A8", []],
      ["?q=+el%C3%A9c%20", [4]]
    ] as const)("filters by %j", ([query, ids]) =>
      Effect.gen(function* () {
        const { body } = yield* get(`/v1/servicios${query}`)
        assert.deepStrictEqual(
          body.data.map(({ id }: { id: number }) => id),
          ids
        )
      })
    )

    it.effect("is answered with 304 when the client has the current version", () =>
      Effect.gen(function* () {
        const first = yield* get("/v1/categorias")
        const etag = first.headers.get("etag") ?? ""
        assert.match(etag, /^W\/"[\da-f]+"$/)
        const second = yield* get("/v1/categorias", { "if-none-match": `"x", ${etag}` })
        assert.deepStrictEqual([second.status, second.text, second.headers.get("etag")], [304, "", etag])
      })
    )
  })

  it.effect("hides the details of an internal error", () =>
    Effect.gen(function* () {
      const { body, headers, status, text } = yield* get("/v1/saldo", as("roto"))
      assert.deepStrictEqual(
        [status, body.error.code, body.request_id],
        [500, "INTERNAL_ERROR", headers.get("x-request-id")]
      )
      assert.notInclude(text, "select")
    })
  )

  // Headers, length of the body, and the start of the response. Without a key the sale is rejected after its body was
  // read.
  it.effect.each([
    [
      "Expect: 100-continue\r\nConnection: close",
      66,
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 422 .*Idempotency-Key/s
    ],
    ["Expect: 100-continue\r\nConnection: close", 65_537, /^HTTP\/1.1 413 /],
    ["Connection: Upgrade\r\nUpgrade: h2c", 66, /^HTTP\/1.1 422 .*Idempotency-Key/s]
  ] as const)("reads or rejects a body sent with %j and %i bytes", ([how, length, answer]) =>
    Effect.gen(function* () {
      const { said } = yield* raw(
        `POST /v1/recargas HTTP/1.1\r\nHost: a\r\nAuthorization: ${as("todo").authorization}\r\n` +
          `Content-Type: application/json\r\n${how}\r\nContent-Length: ${length}\r\n\r\n` +
          JSON.stringify({ ...sale, note: "x" }).padEnd(66)
      )
      assert.match(said, answer)
    })
  )

  it.effect.each([
    ["a NUL in a header", "GET / HTTP/1.1\r\nHost: a\r\nX-Api-Key: a\u0000b\r\n\r\n", "422 ", "invalido"],
    ["a header too large", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(20_000)}\r\n\r\n`, "431 ", "demasiado_grande"],
    ["an unknown method", "HOLA / HTTP/1.1\r\nHost: a\r\n\r\n", "404 ", "NOT_FOUND"],
    ["no Host", "GET /v1/estado HTTP/1.1\r\nConnection: close\r\n\r\n", "200 ", "ok"],
    [
      "an unknown expectation",
      "GET /v1/nada HTTP/1.1\r\nHost: a\r\nExpect: milagros\r\nConnection: close\r\n\r\n",
      "404 ",
      "NOT_FOUND"
    ]
  ] as const)("answers with its own envelope where Node would answer by itself: %s", ([, request, status, word]) =>
    Effect.gen(function* () {
      const { said: answer } = yield* raw(request)
      assert.strictEqual(answer.slice(9, 13), status)
      assert.match(answer, /x-request-id: [\da-f-]{36}/i)
      assert.include(answer.split("\r\n\r\n")[1], word)
    })
  )

  it.effect("never ends a CSV file normally when it fails after some rows", () =>
    Effect.gen(function* () {
      const { url } = yield* ServiceAddress
      const read = (apiKey: string) =>
        Effect.tryPromise(async () => {
          const response = await fetch(`${url}/v1/movimientos?formato=csv`, { headers: as(apiKey) })
          return await response.text()
        })
      assert.lengthOf((yield* read("todo")).trim().split("\n"), 2)
      assert.instanceOf((yield* Effect.flip(read("extracto_roto"))).cause, TypeError)
    })
  )
})
