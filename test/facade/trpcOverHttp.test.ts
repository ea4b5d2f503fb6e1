import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { as, call, post } from "./support/Calls.ts"
import { TestService } from "./support/Service.ts"

const sale = { service_id: 1, identifier: "8095551234", amount: 100 }

layer(TestService, { excludeTestServices: true })("a request to tRPC", (it) => {
  it.effect.each([
    ["/trpc/nada", "", 404, "NOT_FOUND"],
    ["/trpc/recargas.crear", "{", 422, "VALIDATION_ERROR"],
    ["/trpc/recargas.crear", '{"service_id":1,"service_id":1}', 422, "VALIDATION_ERROR"],
    ["/trpc/recargas.crear", `{"x":"${"x".repeat(70_000)}"}`, 413, "VALIDATION_ERROR"],
    ["/trpc/recargas.crear?batch=1", "[]", 422, "VALIDATION_ERROR"],
    ["/trpc/cuenta.saldo", "{}", 404, "NOT_FOUND"]
  ] as const)("%s is refused (%#)", ([path, body, status, code]) =>
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
  ] as const)("counts %s by its address, as %i, and names the request", ([path, calls]) =>
    Effect.gen(function* () {
      const { body, headers } = yield* call(`/trpc/${path}`)
      assert.strictEqual(headers.get("x-ratelimit-remaining"), String(5 - calls))
      const failed = [body].flat().find(({ error }) => error !== undefined)
      assert.match(headers.get("x-request-id") ?? "", /^[\da-f-]{36}$/)
      assert.strictEqual(failed.error.data.request_id, headers.get("x-request-id"))
    })
  )

  it.effect("names the request also where it refuses before any procedure: a stream that is no batch", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* call("/trpc/sistema.estado", {
        headers: { "trpc-accept": "application/jsonl" }
      })
      assert.deepStrictEqual([status, body.error.data.error.code], [422, "VALIDATION_ERROR"])
      assert.strictEqual(body.error.data.request_id, headers.get("x-request-id"))
    })
  )

  it.effect("refuses too many calls in a shape that its clients read, and runs none of them", () =>
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
    "says what REST says in the headers of a failure that is that of every call: %s",
    (path) =>
      Effect.gen(function* () {
        const refused = yield* call(`/trpc/${path}`)
        assert.match(refused.headers.get("www-authenticate") ?? "", /^Bearer /)
        assert.include(refused.headers.get("link"), "UNAUTHENTICATED")
      })
  )

  it.effect("says nothing in the headers of what only one of several calls failed by", () =>
    Effect.gen(function* () {
      const several = yield* call("/trpc/sistema.estado,cuenta.ver?batch=1")
      assert.isNull(several.headers.get("link"))
      assert.isNull(several.headers.get("www-authenticate"))
    })
  )

  it.effect("says of a batch of one where a sale that is held leads, and that it is told again", () =>
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
