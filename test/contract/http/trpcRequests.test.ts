import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { as, call, post } from "../../support/service/HttpCalls.ts"
import { TestService } from "../../support/service/InMemoryService.ts"

const sale = { service_id: 1, identifier: "8095551234", amount: 100 }

layer(TestService, { excludeTestServices: true })("a request to tRPC", (it) => {
  it.effect.each([
    ["/trpc/nada", "", 404, "NOT_FOUND"],
    ["/trpc/recargas.crear", "{", 422, "VALIDATION_ERROR"],
    ["/trpc/recargas.crear", '{"service_id":1,"service_id":1}', 422, "VALIDATION_ERROR"],
    ["/trpc/recargas.crear", `{"x":"${"x".repeat(70_000)}"}`, 413, "VALIDATION_ERROR"],
    ["/trpc/recargas.crear?batch=1", "[]", 422, "VALIDATION_ERROR"],
    ["/trpc/cuenta.saldo", "{}", 404, "NOT_FOUND"]
  ] as const)("is rejected when it is invalid: %s (%#)", ([path, body, status, code]) =>
    Effect.gen(function* () {
      const headers = { ...as("todo"), "content-type": "application/json" }
      const answer = yield* call(path, { method: "POST", headers, body })
      const [first] = [answer.body].flat()
      assert.deepStrictEqual([answer.status, first.error.data.error.code], [status, code])
      assert.strictEqual(answer.headers.get("x-request-id"), first.error.data.request_id)
      assert.strictEqual(answer.headers.get("x-frame-options"), "DENY")
    })
  )

  it.effect.each([
    ["nada", 1],
    ["nada,nunca,nadie?batch=1", 3],
    ["sistema.estado,nada?batch=1", 2],
    ["recargas.crear", 1],
    ["sistema.estado,recargas.crear?batch=1", 2],
    ["sistema.estado?connectionParams=x", 1],
    ["sistema.estado?input=%7B%22a%22%3A%22%ff%22%7D", 1]
  ] as const)("to %s counts as %i calls of the client address, and has a request id", ([path, calls]) =>
    Effect.gen(function* () {
      const { body, headers } = yield* call(`/trpc/${path}`)
      assert.strictEqual(headers.get("x-ratelimit-remaining"), String(5 - calls))
      const failed = [body].flat().find(({ error }) => error !== undefined)
      assert.match(headers.get("x-request-id") ?? "", /^[\da-f-]{36}$/)
      assert.strictEqual(failed.error.data.request_id, headers.get("x-request-id"))
    })
  )

  it.effect("that mixes queries, mutations and unknown names in a batch gets a response for each call", () =>
    Effect.gen(function* () {
      const names = ["sistema.estado", "recargas.crear", "nada", "transacciones.anular", "catalogo.categorias"]
      const key = "mixed"
      const inputs = Object.fromEntries(names.map((_, index) => [index, { ...sale, idempotency_key: key }]))
      const path = `/trpc/${names.join(",")}?batch=1`
      for (const [answer, byOtherMethod, wrongly] of [
        [yield* call(path, { headers: as("todo") }), ["recargas.crear", "transacciones.anular"], "POST, no con GET"],
        [yield* post(path, inputs, as("todo")), ["sistema.estado", "catalogo.categorias"], "GET, no con POST"]
      ] as const) {
        for (const [index, name] of names.entries()) {
          const { error, result } = answer.body[index]
          const isWrong = byOtherMethod.some((each) => each === name)
          assert.strictEqual(error?.data.path, result === undefined ? name : undefined)
          if (isWrong) assert.strictEqual(error.message, `${name} se llama con ${wrongly}.`)
          if (isWrong || name === "nada") assert.strictEqual(error.data.error.code, "NOT_FOUND")
        }
        assert.strictEqual(answer.status, 207)
      }
      const { body } = yield* call("/v1/transacciones?idempotency_key=mixed", { headers: as("todo") })
      assert.lengthOf(body.data.items, 1)
    })
  )

  it.effect.each([
    ["GET", "recargas.crear", "recargas.crear se llama con POST, no con GET."],
    ["POST", "cuenta.saldo", "cuenta.saldo se llama con GET, no con POST."],
    ["GET", "recargas.borrar", "El recurso no existe."]
  ] as const)("with %s %s gets a message that states the mistake", ([method, name, message]) =>
    Effect.gen(function* () {
      const { body, status } = yield* call(`/trpc/${name}`, { method, headers: as("todo") })
      assert.deepStrictEqual([status, body.error.message, body.error.data.path], [404, message, name])
    })
  )

  it.effect("for a stream without a batch is rejected, with a request id", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* call("/trpc/sistema.estado", {
        headers: { "trpc-accept": "application/jsonl" }
      })
      assert.deepStrictEqual([status, body.error.data.error.code], [422, "VALIDATION_ERROR"])
      assert.strictEqual(body.error.data.request_id, headers.get("x-request-id"))
    })
  )

  it.effect("beyond the rate limit is rejected in the tRPC error format, and runs none of its calls", () =>
    Effect.gen(function* () {
      const headers = { "x-forwarded-for": "203.0.113.91" }
      const strays = Array.from({ length: 6 }, () => "nada").join(",")
      for (const path of [`sistema.estado,${strays}?batch=1`, "nada", "sistema.estado"]) {
        const { body, headers: said, status } = yield* call(`/trpc/${path}`, { headers })
        const { code, data } = body.error
        assert.deepStrictEqual([status, code, data.error.code], [429, -32029, "RATE_LIMIT_EXCEEDED"], path)
        assert.strictEqual(said.get("retry-after"), String(data.error.details.retry_after))
        assert.strictEqual(said.get("x-ratelimit-remaining"), "0")
        assert.strictEqual(said.get("x-request-id"), data.request_id)
      }
    })
  )

  it.effect.each(["cuenta.saldo", "cuenta.saldo?batch=1", "cuenta.saldo,cuenta.ver?batch=1"])(
    "has the headers of a REST error when all its calls fail with the same code: %s",
    (path) =>
      Effect.gen(function* () {
        const refused = yield* call(`/trpc/${path}`)
        assert.match(refused.headers.get("www-authenticate") ?? "", /^Bearer /)
        assert.include(refused.headers.get("link"), "UNAUTHENTICATED")
      })
  )

  it.effect("has no error headers when only one of several calls fails", () =>
    Effect.gen(function* () {
      const several = yield* call("/trpc/sistema.estado,cuenta.ver?batch=1")
      assert.isNull(several.headers.get("link"))
      assert.isNull(several.headers.get("www-authenticate"))
    })
  )

  it.effect("has Location, Retry-After and Idempotent-Replay for a batch of one pending sale", () =>
    Effect.gen(function* () {
      const held = { 0: { ...sale, identifier: "8095550112", idempotency_key: "batch-of-one" } }
      const sell = post("/trpc/recargas.crear?batch=1", held, as("todo"))
      const first = yield* sell
      assert.match(first.headers.get("location") ?? "", /^\/v1\/transacciones\/\d+$/)
      assert.strictEqual(first.headers.get("retry-after"), "10")
      assert.strictEqual((yield* sell).headers.get("idempotent-replay"), "true")
    })
  )
})
