import { createServer } from "node:http"
import { assert, layer } from "@effect/vitest"
import { createTRPCClient, httpBatchLink, httpLink, splitLink, TRPCClientError } from "@trpc/client"
import { Effect } from "effect"
import type { AppRouter } from "../../../facade/api/TrpcRouter.ts"
import { serveLocally } from "../../fakes/LocalServer.ts"
import { ServiceAddress } from "../../support/InProcessService.ts"
import { as, post } from "../../support/service/HttpCalls.ts"
import { TestService } from "../../support/service/InMemoryService.ts"

const sale = { service_id: 1, identifier: "8095551234", amount: 100 }

/** An ordinary tRPC client. It sends queries in batches. The URL of a batch must fit into 16 KiB with the headers. */
const clientOf = (url: string, apiKey: string) => {
  const server = { url: `${url}/trpc`, headers: as(apiKey) }
  const batches = httpBatchLink({ ...server, maxItems: 50, maxURLLength: 8_000 })
  return createTRPCClient<AppRouter>({
    links: [splitLink({ condition: ({ type }) => type === "query", true: batches, false: httpLink(server) })]
  })
}

const clientAs = (apiKey: string) => Effect.map(ServiceAddress, ({ url }) => clientOf(url, apiKey))

const isRefusal = (error: unknown): error is TRPCClientError<AppRouter> => error instanceof TRPCClientError

const failureOf = (promise: Promise<unknown>) =>
  Effect.promise(() =>
    promise.then(
      () => assert.fail("the call succeeded"),
      (error) => (isRefusal(error) ? error.data : undefined) ?? assert.fail(String(error))
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
  it.effect("sells, replays and lists through a tRPC client", () =>
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
      const watched = clientOf(url, "todo")
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
      const nowhere = clientOf("http://127.0.0.1:1", "todo")
      const error = yield* Effect.promise(() =>
        nowhere.cuenta.saldo.query().then(
          () => assert.fail("the call succeeded"),
          (error: unknown) => error
        )
      )
      assert.isTrue(isRefusal(error) && error.data === undefined)
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
