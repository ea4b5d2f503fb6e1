import { createServer } from "node:http"
import { assert, layer, vi } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { dayOf, daysBefore } from "../../core/domain/LocalTime.ts"
import { closeThrough } from "../../core/workflows/CloseDays.ts"
import { clientIn } from "../../facade/client/Client.ts"
import { createClient, isSaldoError, isSaldoNetworkError, type SaldoClient } from "../../facade/client/index.ts"
import { serveLocally } from "../fakes/LocalServer.ts"
import { ServiceAddress } from "../support/InProcessService.ts"
import { loadSalesHistory } from "../support/SalesHistory.ts"
import { customer, deposit } from "../support/service/CustomerCompany.ts"
import { type Fault, faultyProxy } from "../support/service/FaultyProxy.ts"
import { as, getBytes, sell } from "../support/service/HttpCalls.ts"
import { secret, TestService } from "../support/service/InMemoryService.ts"
import { subscriber, WebhookServer } from "../support/service/WebhookCalls.ts"
import { skippingPauses } from "./SkippedPauses.ts"

const sale = { service_id: 1, identifier: "8095551234", amount: 50 }

const clientAs = (apiKey: string) =>
  Effect.map(ServiceAddress, ({ url }) => createClient({ url, apiKey, apiSecret: secret }))

const collect = async <A>(list: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const each of list) all.push(each)
  return all
}

const errorOf = (call: Promise<unknown>) =>
  Effect.promise(() =>
    call.then(
      () => assert.fail("the call succeeded"),
      (error: unknown) => error
    )
  )

/** Answers every request with a status and a body. */
const answering = (status: number, headers: Record<string, string>, body: string) =>
  serveLocally(createServer((_, response) => response.writeHead(status, headers).end(body)))

layer(TestService, { excludeTestServices: true })("the client", (it) => {
  const clientBehind = Effect.fnUntraced(function* (...planned: ReadonlyArray<Fault>) {
    const { plan, seen, url } = yield* faultyProxy
    plan(...planned)
    const client = clientIn(skippingPauses().surroundings, { url, apiKey: "todo", apiSecret: secret })
    return { client, seen }
  })

  const calls: ReadonlyArray<readonly [what: string, fault: Fault, attempts: number, call: Call]> = [
    ["repeats a read", "lost response", 2, (client) => client.cuenta.saldo.query()],
    ["repeats a sale", "lost response", 2, (client) => client.recargas.crear.mutate(sale)],
    ["repeats a download", "unavailable", 2, (client) => client.movimientosCsv()],
    ["does not repeat an operation without a key", "lost response", 1, (client) => client.consultas.crear.mutate(sale)],
    ["repeats an operation without a key", "rate limited", 2, (client) => client.consultas.crear.mutate(sale)]
  ]
  type Call = (client: SaldoClient) => Promise<unknown>

  it.effect.each(calls)("%s after the fault `%s`: %i attempts", ([, fault, attempts, call]) =>
    Effect.gen(function* () {
      const { client, seen } = yield* clientBehind(fault)
      yield* Effect.promise(() => call(client).catch(() => undefined))
      assert.lengthOf(seen, attempts)
    })
  )

  it.effect("makes a key for a sale that has none, and states this key in the error", () =>
    Effect.gen(function* () {
      const client = yield* clientAs("todo")
      const failure = yield* errorOf(client.recargas.crear.mutate({ ...sale, identifier: "8095551230" }))
      assert.isTrue(isSaldoError(failure) && failure.code === "INVALID_PHONE")
      assert.match((isSaldoError(failure) && failure.idempotencyKey) || "", /^[\da-f]{32}$/)
    })
  )

  it.effect("throws the 202 response of recargas.crear with its details, and never retries the sale", () =>
    Effect.gen(function* () {
      const { client, seen } = yield* clientBehind()
      const failure = yield* errorOf(client.recargas.crear.mutate({ ...sale, identifier: "8095551212" }))
      if (!isSaldoError(failure) || failure.code !== "TRANSACTION_PENDING") return assert.fail(String(failure))
      assert.deepStrictEqual(
        [failure.httpStatus, failure.details.status, failure.outcomeUnknown],
        [202, "PENDING", true]
      )
      assert.match(failure.requestId ?? "", /^[\da-f-]{36}$/)
      assert.lengthOf(seen, 1)
    })
  )

  it.effect("downloads files with the same bytes that REST sends", () =>
    Effect.gen(function* () {
      const client = yield* clientAs("todo")
      const { transaction_id: id, xid } = yield* Effect.promise(() => client.recargas.crear.mutate(sale))
      const files = [
        [yield* Effect.promise(() => client.reciboPdf(id)), `/v1/transacciones/${id}/recibo?formato=pdf`],
        [yield* Effect.promise(() => client.transaccionesCsv({ xid })), `/v1/transacciones?formato=csv&xid=${xid}`],
        [yield* Effect.promise(() => client.movimientosCsv()), "/v1/movimientos?formato=csv"]
      ] as const
      for (const [bytes, path] of files) {
        assert.deepStrictEqual(Buffer.from(bytes), yield* getBytes(path, as("todo")))
        assert.isAbove(bytes.length, 50)
      }
      const unknown = yield* errorOf(client.reciboPdf(999_999_999))
      assert.isTrue(isSaldoError(unknown) && unknown.code === "NOT_FOUND")
    })
  )

  const html = { "content-type": "text/html" }

  it.effect.each([
    ["a page of a proxy", 404, html, "<h1>404</h1>"],
    ["a redirect", 307, { location: "http://127.0.0.1:1/" }, ""],
    ["JSON of another service", 400, { "content-type": "application/json" }, '{"error":"x"}'],
    ["JSON that is no object", 400, { "content-type": "application/json" }, "null"]
  ] as const)(
    "distinguishes a response of another server from an error of the service: %s",
    ([, status, headers, body]) =>
      Effect.gen(function* () {
        const url = yield* answering(status, headers, body)
        const client = createClient({ url, apiKey: "k", apiSecret: "s" })
        for (const call of [client.cuenta.saldo.query(), client.reciboPdf(1)]) {
          const failure = yield* errorOf(call)
          assert.isTrue(isSaldoNetworkError(failure) && failure.httpStatus === status)
        }
      })
  )

  it.each(["se\ncret", "señal →"])(
    "refuses credentials that no call could send, without showing them: %j",
    (apiSecret) => {
      const create = () => createClient({ url: "http://127.0.0.1:1", apiKey: "todo", apiSecret })
      assert.throws(create, TypeError, /^apiKey and apiSecret have characters that a token cannot have\.$/)
    }
  )

  it.effect("rejects with the abort reason of the caller's signal", () =>
    Effect.gen(function* () {
      const client = yield* clientAs("todo")
      const reason = new Error("closed")
      const signal = AbortSignal.abort(reason)
      const aborted = [
        client.cuenta.saldo.query({}, { signal }),
        client.reciboPdf(1, { signal }),
        client.transaccionesTodas({}, { signal }).next(),
        client.seguirEventos({}, { signal }).next()
      ]
      for (const call of aborted) assert.strictEqual(yield* errorOf(call), reason)
    })
  )

  it.each(["localhost", "localhost:3000", "api.example.com", "ftp://127.0.0.1"])("refuses the address %s", (url) => {
    assert.throws(() => createClient({ url, apiKey: "k", apiSecret: "s" }), TypeError)
  })

  it.each([
    [{}, 45_000 + 25_000],
    [{ timeout_ms: 5_000 }, 5_000 + 25_000]
  ])(
    "waits for new events for as long as the service may hold the call, plus its timeout: options %j",
    async (given, wait_ms) => {
      const silent: typeof fetch = (_, init) =>
        new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)))
      const client = createClient({
        url: "http://127.0.0.1:1",
        apiKey: "k",
        apiSecret: "s",
        retries: 0,
        fetch: silent,
        ...given
      })
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      try {
        const next = client.seguirEventos().next()
        const outcome = next.catch((error: Error) => error.message)
        await vi.advanceTimersByTimeAsync(wait_ms)
        assert.strictEqual(await outcome, `There was no response within ${wait_ms} ms.`)
      } finally {
        vi.useRealTimers()
      }
    }
  )
})

layer(WebhookServer, { excludeTestServices: true })("the lists of the client", (it) => {
  it.effect("contain every daily closing once, newest first, over several pages", () =>
    Effect.gen(function* () {
      const { apiKey, companyId } = yield* customer()
      const client = yield* clientAs(apiKey)
      const first = dayOf(yield* DateTime.now)
      const last = daysBefore(first, -202)
      yield* closeThrough(last, { only: companyId })
      const all = yield* Effect.promise(() => collect(client.cierresTodos()))
      assert.deepStrictEqual(
        all.map(({ dia }) => dia),
        Array.from({ length: 203 }, (_, index) => daysBefore(last, index))
      )
      const some = yield* Effect.promise(() => collect(client.cierresTodos({ date_from: last })))
      assert.lengthOf(some, 1)
      const file = yield* Effect.promise(() => client.cierreArchivo(first, "csv"))
      assert.include(new TextDecoder().decode(file), `${first},saldo_final`)
    })
  )

  it.effect("contain every transaction and entry once, newest first, over several pages", () =>
    Effect.gen(function* () {
      const { apiKey, companyId } = yield* customer({ money: 0 })
      const client = yield* clientAs(apiKey)
      for (let each = 1; each <= 203; each++) yield* deposit(companyId, 1, `d${each}`)
      const entries = yield* Effect.promise(() => collect(client.movimientosTodos()))
      assert.deepStrictEqual(
        entries.map(({ referencia }) => referencia),
        Array.from({ length: 203 }, (_, index) => `d${203 - index}`)
      )
      for (const identifier of ["8095551233", "8095551230", "8095551234"])
        yield* sell({ ...sale, identifier }, as(apiKey))
      const all = yield* Effect.promise(() => collect(client.transaccionesTodas()))
      assert.deepStrictEqual(
        all.map(({ identifier }) => identifier),
        ["8095551234", "8095551230", "8095551233"]
      )
      assert.lengthOf(yield* Effect.promise(() => collect(client.transaccionesTodas({ status: "FAILED" }))), 1)
    })
  )

  it.effect("contain each transaction once, and none that is made while they are read", () =>
    Effect.gen(function* () {
      const { apiKey, companyId } = yield* customer({ money: 0 })
      const client = yield* clientAs(apiKey)
      // There is more than one page, so that a new sale moves the transactions of the second page.
      yield* loadSalesHistory({ company: companyId, sales: 203, days: 1 })
      const before = yield* Effect.promise(() => collect(client.transaccionesTodas()))
      assert.lengthOf(before, 203)
      const list = client.transaccionesTodas()
      const first = yield* Effect.promise(() => list.next())
      assert.strictEqual((yield* sell(sale, as(apiKey))).status, 201)
      const rest = yield* Effect.promise(() => collect(list))
      assert.deepStrictEqual([first.value, ...rest], [...before])
    })
  )

  it.effect("contain every event, and also new events if the client follows the list", () =>
    Effect.gen(function* () {
      const { apiKey, companyId } = yield* subscriber()
      const client = yield* clientAs(apiKey)
      yield* deposit(companyId, 10, "d1")
      yield* sell(sale, as(apiKey))
      const types = (yield* Effect.promise(() => collect(client.eventosTodos()))).map(({ type }) => type)
      assert.deepStrictEqual(types, ["balance.deposited", "transaction.succeeded"])
      const followed = client.seguirEventos({ type: "balance.deposited" })
      const next = () => Effect.promise(() => followed.next())
      const first = yield* next()
      yield* deposit(companyId, 20, "d2")
      const second = yield* next()
      assert.deepStrictEqual(
        [first, second].map(({ value }) => value?.secuencia),
        [1, 3]
      )
    }).pipe(Effect.scoped)
  )
})
