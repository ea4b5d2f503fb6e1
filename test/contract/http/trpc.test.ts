import { createServer } from "node:http"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type ClientOptions, createClient, isSaldoError } from "../../../facade/api/client.ts"
import { serveLocally } from "../../fakes/LocalServer.ts"
import { ServiceAddress } from "../../support/InProcessService.ts"
import { as, call, post } from "../../support/service/HttpCalls.ts"
import { secret, TestService } from "../../support/service/InMemoryService.ts"

const sale = { service_id: 1, identifier: "8095551234", amount: 100 }

const clientAs = (apiKey: string) =>
  Effect.map(ServiceAddress, ({ url }) => createClient({ url, apiKey, apiSecret: secret } satisfies ClientOptions))

const failureOf = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("the call succeeded"),
      (error) => (isSaldoError(error) ? error.data : undefined) ?? assert.fail(String(error))
    )
  )

/** A server that records every request path and answers 503. */
const recordingServer = Effect.gen(function* () {
  const asked: Array<string> = []
  const server = createServer(({ url = "" }, response) => {
    asked.push(url)
    response.writeHead(503).end()
  })
  return { asked, url: yield* serveLocally(server) }
})

layer(TestService, { excludeTestServices: true })("tRPC", (it) => {
  it.effect("sells, replays and lists through the typed client", () =>
    Effect.gen(function* () {
      const client = yield* clientAs("todo")
      const sold = yield* Effect.promise(() => client.recargas.crear.mutate({ ...sale, idempotency_key: "t1" }))
      const again = yield* Effect.promise(() => client.recargas.crear.mutate({ ...sale, idempotency_key: "t1" }))
      assert.deepStrictEqual(again, sold)
      const found = yield* Effect.promise(() => client.transacciones.ver.query({ id: sold.transaction_id }))
      assert.strictEqual(found.xid, sold.xid)
      const list = yield* Effect.promise(() => client.transacciones.listar.query({ per_page: 1, status: "SUCCESS" }))
      assert.strictEqual(list.pagination.total, 1)
    })
  )

  it.effect("answers each call of a batch separately, with the codes of the contract", () =>
    Effect.gen(function* () {
      const client = yield* clientAs("todo")
      const sell = (identifier: string, key: string) =>
        client.recargas.crear.mutate({ ...sale, identifier, idempotency_key: key })
      const [pending, refused, keyless] = yield* Effect.all(
        [failureOf(sell("8095551212", "b1")), failureOf(sell("8095551230", "b2")), failureOf(sell("8095551234", ""))],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([pending.httpStatus, pending.error.code], [202, "TRANSACTION_PENDING"])
      assert.deepStrictEqual([refused.httpStatus, refused.error.code], [422, "INVALID_PHONE"])
      assert.deepStrictEqual(keyless.error.details, { idempotency_key: "longitud" })
      assert.match(String(pending.request_id), /^[\da-f-]{36}$/)
    })
  )

  it.effect("answers 600 simultaneous reads, and never puts two sales in one request", () =>
    Effect.gen(function* () {
      const client = yield* clientAs("todo")
      const { transaction_id: id } = yield* Effect.promise(() =>
        client.recargas.crear.mutate({ ...sale, identifier: "8095551236", idempotency_key: "m0" })
      )
      const reads = yield* Effect.promise(() =>
        Promise.all(Array.from({ length: 600 }, () => client.transacciones.ver.query({ id })))
      )
      assert.isTrue(reads.every(({ transaction_id }) => transaction_id === id))
      const { asked, url } = yield* recordingServer
      const watched = createClient({ url, apiKey: "todo", apiSecret: secret })
      const sell = (key: string) => watched.recargas.crear.mutate({ ...sale, idempotency_key: key })
      yield* Effect.promise(() => Promise.allSettled([sell("m1"), sell("m2")]))
      assert.deepStrictEqual(asked, ["/trpc/recargas.crear", "/trpc/recargas.crear"])
    })
  )

  it.effect("rejects an input for a procedure without input", () =>
    Effect.gen(function* () {
      const client = yield* clientAs("todo")
      const { saldo_disponible } = yield* Effect.promise(() => client.cuenta.saldo.query())
      assert.isNumber(saldo_disponible)
      assert.isNotEmpty(yield* Effect.promise(() => client.catalogo.servicios.query()))
      // @ts-expect-error
      const refused = yield* failureOf(client.cuenta.saldo.query(42))
      assert.deepStrictEqual([refused.httpStatus, refused.error.details], [422, { body: "json_invalido" }])
    })
  )

  it.effect("reports a failed connection as an error without data, unlike an error response", () =>
    Effect.gen(function* () {
      const nowhere = createClient({ url: "http://127.0.0.1:1", apiKey: "todo", apiSecret: secret })
      const error = yield* Effect.promise(() =>
        nowhere.cuenta.saldo.query().then(
          () => assert.fail("the call succeeded"),
          (error: unknown) => error
        )
      )
      assert.isTrue(isSaldoError(error) && error.data === undefined)
    })
  )

  it.effect("names the key idempotency_key in errors, where REST names the Idempotency-Key header", () =>
    Effect.gen(function* () {
      const trpc = (body: object) =>
        Effect.map(post("/trpc/recargas.crear", body), ({ body }) => body.error?.data.error.details)
      const rest = (body: object, headers?: Record<string, string>) =>
        Effect.map(post("/v1/recargas", body, headers), ({ body }) => body.error.details)
      const key = "t2"
      yield* trpc({ ...sale, identifier: "8095551235", idempotency_key: key })
      assert.deepStrictEqual(yield* trpc(sale), { idempotency_key: "requerido" })
      assert.deepStrictEqual(yield* rest(sale), { "Idempotency-Key": "requerido" })
      assert.deepStrictEqual(yield* trpc({ ...sale, amount: "x" }), { amount: "invalido" })
      assert.deepStrictEqual(yield* trpc({ ...sale, idempotency_key: key }), { idempotency_key: "clave_reutilizada" })
      assert.deepStrictEqual(yield* rest(sale, { "idempotency-key": key }), { "Idempotency-Key": "clave_reutilizada" })
    })
  )

  it.effect("reports every validation error with the same tRPC code", () =>
    Effect.gen(function* () {
      for (const body of ["{", "[]", { ...sale, amount: "x", idempotency_key: "t3" }, sale]) {
        const { error } = (yield* post("/trpc/recargas.crear", body)).body
        const { code, httpStatus } = error.data
        assert.deepStrictEqual([error.code, code, httpStatus], [-32022, "UNPROCESSABLE_CONTENT", 422])
        assert.strictEqual(error.data.error.code, "VALIDATION_ERROR")
      }
    })
  )

  it.effect("rejects missing permissions with 403 and unknown tokens with 401", () =>
    Effect.gen(function* () {
      const client = yield* clientAs("lector")
      const refused = yield* failureOf(client.cuenta.saldo.query({}))
      assert.deepStrictEqual([refused.code, refused.error.code], ["FORBIDDEN", "FORBIDDEN"])
      const unknown = yield* failureOf((yield* clientAs("nadie")).cuenta.ver.query({}))
      assert.deepStrictEqual([unknown.httpStatus, unknown.error.code], [401, "UNAUTHENTICATED"])
    })
  )

  it.effect("rejects a key with a leading or trailing space, which an HTTP header cannot contain", () =>
    Effect.gen(function* () {
      for (const idempotency_key of [" edge", "edge "]) {
        const { body } = yield* post("/trpc/recargas.crear", { ...sale, idempotency_key }, as("todo"))
        assert.deepStrictEqual(body.error.data.error.details, { idempotency_key: "invalido" })
      }
    })
  )
})

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
