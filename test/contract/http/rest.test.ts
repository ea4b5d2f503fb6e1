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
  ] as const)("with the settings %j returns the environment %s", ([environment, name]) =>
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

    it.effect("at /v1/info describes the service", () =>
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
    ])("allows pages of other origins to send the header %s", (name) =>
      Effect.gen(function* () {
        const asked = { "access-control-request-method": "POST", "access-control-request-headers": name }
        const { headers } = yield* call("/trpc/recargas.crear", { method: "OPTIONS", headers: asked })
        const allowed = (headers.get("access-control-allow-headers") ?? "").toLowerCase().split(", ")
        assert.include(allowed, name)
        // The asterisk allows every header except Authorization.
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
    ] as const)("can be filtered with the query %j", ([query, ids]) =>
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

  it.effect("does not reveal the cause of an internal error", () =>
    Effect.gen(function* () {
      const { body, headers, status, text } = yield* get("/v1/saldo", as("roto"))
      assert.deepStrictEqual(
        [status, body.error.code, body.request_id],
        [500, "INTERNAL_ERROR", headers.get("x-request-id")]
      )
      assert.notInclude(text, "select")
    })
  )

  // Headers, length of the body, start of the response. The sale has no Idempotency-Key. The server rejects it only after
  // it has read the body.
  it.effect.each([
    [
      "Expect: 100-continue\r\nConnection: close",
      66,
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 422 .*Idempotency-Key/s
    ],
    ["Expect: 100-continue\r\nConnection: close", 65_537, /^HTTP\/1.1 413 /],
    ["Connection: Upgrade\r\nUpgrade: h2c", 66, /^HTTP\/1.1 422 .*Idempotency-Key/s]
  ] as const)("handles the headers %j with a body of %i bytes", ([how, length, answer]) =>
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
    ["no Host", "GET /v1/estado HTTP/1.1\r\nConnection: close\r\n\r\n", "200 ", "ok"],
    [
      "an unknown expectation",
      "GET /v1/nada HTTP/1.1\r\nHost: a\r\nExpect: milagros\r\nConnection: close\r\n\r\n",
      "404 ",
      "NOT_FOUND"
    ]
  ] as const)(
    "answers with the envelope where Node has its own response: a request with %s",
    ([, request, status, word]) =>
      Effect.gen(function* () {
        const { said: answer } = yield* raw(request)
        assert.strictEqual(answer.slice(9, 13), status)
        assert.match(answer, /x-request-id: [\da-f-]{36}/i)
        assert.include(answer.split("\r\n\r\n")[1], word)
      })
  )
})
