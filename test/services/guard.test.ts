import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber, Layer, Metric, Ref, Scheduler } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { CircuitBreaker } from "effect/persistence"
import { TestClock } from "effect/testing"
import { isProvablyUnsent } from "../../adapters/http/Exchange.ts"
import { makeGuard } from "../../adapters/http/Guard.ts"
import { fakeServer, type Misbehaviour } from "../fakes/FakeServer.ts"

const withStore = Effect.provide(Layer.fresh(CircuitBreaker.layerStoreMemory()))

/** An external service that responds as the test says, and counts its requests. */
const makeService = Effect.gen(function* () {
  const reached = yield* Ref.make(0)
  const answers = yield* Ref.make<(request: HttpClientRequest.HttpClientRequest) => Effect.Effect<number>>(() =>
    Effect.succeed(200)
  )
  const client = HttpClient.make((request) =>
    Effect.gen(function* () {
      yield* Ref.update(reached, (count) => count + 1)
      const status = yield* (yield* Ref.get(answers))(request)
      return HttpClientResponse.fromWeb(request, new Response(null, { status }))
    })
  )
  return {
    client,
    reached: Ref.get(reached),
    answer: (status: Effect.Effect<number>) => Ref.set(answers, () => status)
  }
})

const call = (client: HttpClient.HttpClient) => Effect.exit(client.get("http://service.invalid/"))

const unsent = (exit: Exit.Exit<unknown, HttpClientError.HttpClientError>): boolean =>
  Exit.isFailure(exit) &&
  Exit.findErrorOption(exit).pipe((error) => error._tag === "Some" && isProvablyUnsent(error.value))

/** The number of calls to an external service with this outcome. */
const counted = (service: string, outcome: string) =>
  Effect.map(Metric.snapshot, (all) =>
    all.flatMap(({ attributes, id, state }) =>
      id === "saldo_party_calls_total" && attributes?.["party"] === service && attributes["outcome"] === outcome
        ? [(state as { readonly count: number }).count]
        : []
    )
  )

/** A scheduler that yields once, at the given step, so a fiber can be interrupted there. */
class PausingOnce extends Scheduler.MixedScheduler {
  #steps: number
  constructor(steps: number) {
    super()
    this.#steps = steps
  }
  override shouldYield(): boolean {
    return --this.#steps === 0
  }
}

describe("a guard around an external service", () => {
  it.effect("allows a trial call when the pause is over, even if the clock was set back meanwhile", () =>
    Effect.gen(function* () {
      const service = yield* makeService
      const guard = yield* makeGuard({ service: "healed", calls_max: 8 })
      yield* service.answer(Effect.succeed(503))
      yield* Effect.forEach(Array.from({ length: 10 }), () => call(guard.protect(service.client)))
      const clock = yield* Clock.Clock
      const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() - 3_600_000
      const setBack = {
        ...clock,
        currentTimeMillisUnsafe,
        currentTimeMillis: Effect.sync(currentTimeMillisUnsafe)
      }
      const accepts = Effect.provideService(guard.accepts, Clock.Clock, setBack)
      assert.isFalse(yield* accepts)
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(yield* accepts)
    }).pipe(withStore)
  )

  it.effect("shows the real wall clock to the service's client", () =>
    Effect.gen(function* () {
      const guard = yield* makeGuard({ service: "timed", calls_max: 8 })
      yield* TestClock.setTime(1_000_000)
      const clock = yield* Clock.Clock
      const own = { ...clock, monotonicTimeNanosUnsafe: () => 5n, monotonicTimeNanos: Effect.succeed(5n) }
      const seen: Array<number> = []
      const client = HttpClient.make((request) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          seen.push(now)
          return HttpClientResponse.fromWeb(request, new Response(null, { status: 200 }))
        })
      )
      yield* Effect.provideService(call(guard.protect(client)), Clock.Clock, own)
      assert.deepStrictEqual(seen, [1_000_000])
    }).pipe(withStore)
  )

  it.effect("stops calling a service that keeps failing, and tries again with one call", () =>
    Effect.gen(function* () {
      const service = yield* makeService
      const guard = yield* makeGuard({ service: "failing", calls_max: 8 })
      const client = guard.protect(service.client)
      yield* service.answer(Effect.succeed(503))
      yield* Effect.forEach(Array.from({ length: 10 }), () => call(client))
      assert.isFalse(yield* guard.accepts)
      assert.isTrue(unsent(yield* call(client)), "a rejected call is provably unsent")
      assert.deepStrictEqual(yield* counted("failing", "5xx"), [10])
      assert.deepStrictEqual(yield* counted("failing", "not_made"), [2], "the check and the call")
      assert.strictEqual(yield* service.reached, 10)
      yield* TestClock.adjust(Duration.seconds(10))
      assert.isTrue(yield* guard.accepts)
      yield* service.answer(Effect.delay(Effect.succeed(200), "5 seconds"))
      const trial = yield* Effect.forkChild(call(client), { startImmediately: true })
      assert.isFalse(yield* guard.accepts, "during the trial call")
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(Exit.isSuccess(yield* Fiber.join(trial)))
      yield* service.answer(Effect.succeed(200))
      assert.isTrue(Exit.isSuccess(yield* call(client)))
      assert.strictEqual(yield* service.reached, 12)
    }).pipe(withStore)
  )

  // Status of every response, and whether the circuit stays closed. Ten failures open the circuit.
  it.effect.each([
    [400, true],
    [499, true],
    [429, false],
    [500, false]
  ] as const)("treats the status %i as healthy: %s", ([status, healthy]) =>
    Effect.gen(function* () {
      const service = yield* makeService
      const guard = yield* makeGuard({ service: "carrier", calls_max: 8 })
      yield* service.answer(Effect.succeed(status))
      yield* Effect.forEach(Array.from({ length: 40 }), () => call(guard.protect(service.client)))
      assert.strictEqual(yield* guard.accepts, healthy)
      assert.strictEqual(yield* service.reached, healthy ? 40 : 10)
    }).pipe(withStore)
  )

  it.effect("limits the number of calls in flight", () =>
    Effect.gen(function* () {
      const service = yield* makeService
      const guard = yield* makeGuard({ service: "busy", calls_max: 2 })
      const client = guard.protect(service.client)
      yield* service.answer(Effect.never)
      const waiting = yield* Effect.forEach([1, 2], () => Effect.forkChild(call(client), { startImmediately: true }))
      assert.isFalse(yield* guard.accepts)
      assert.isTrue(unsent(yield* call(client)))
      assert.strictEqual(yield* service.reached, 2)
      assert.deepStrictEqual(yield* counted("busy", "not_made"), [2], "the check and the call")
      yield* Effect.forEach(waiting, Fiber.interrupt)
      assert.isTrue(yield* guard.accepts)
    }).pipe(withStore)
  )

  it.effect("counts a call as in flight until its whole response has arrived", () =>
    Effect.gen(function* () {
      const endless = HttpClient.make((request) =>
        Effect.succeed(HttpClientResponse.fromWeb(request, new Response(new ReadableStream({ pull: () => undefined }))))
      )
      const guard = yield* makeGuard({ service: "trickling", calls_max: 1 })
      const waiting = yield* Effect.forkChild(call(guard.protect(endless)), { startImmediately: true })
      assert.isFalse(yield* guard.accepts)
      yield* TestClock.adjust(Duration.seconds(29))
      assert.isFalse(unsent(yield* Fiber.join(waiting)))
      assert.isTrue(yield* guard.accepts)
      assert.deepStrictEqual(yield* counted("trickling", "no_answer"), [1])
    }).pipe(withStore)
  )

  it.effect("loses no capacity when a check for capacity is interrupted at any step", () =>
    Effect.gen(function* () {
      const guard = yield* makeGuard({ service: "asked", calls_max: 1 })
      for (let step = 1; step < 60; step++) {
        const asked = Effect.provideService(guard.accepts, Scheduler.Scheduler, new PausingOnce(step))
        yield* Fiber.interrupt(yield* Effect.forkChild(asked, { startImmediately: true }))
        assert.isTrue(yield* guard.accepts, `after ${step} steps`)
      }
    }).pipe(withStore)
  )

  it.effect("times out a call without response, and does not report it as unsent", () =>
    Effect.gen(function* () {
      const service = yield* makeService
      const guard = yield* makeGuard({ service: "carrier", calls_max: 8 })
      yield* service.answer(Effect.never)
      const waiting = yield* Effect.forkChild(call(guard.protect(service.client)), { startImmediately: true })
      yield* TestClock.adjust(Duration.seconds(29))
      const exit = yield* Fiber.join(waiting)
      assert.isTrue(Exit.isFailure(exit))
      assert.isFalse(unsent(exit))
    }).pipe(withStore)
  )
})

const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post("/ventas"), { monto: 1 })

const failed = (cause: unknown) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })

const withCode = (code: string, syscall?: string) => Object.assign(new Error(code), { code, syscall })

/** The error of a request to a URL. */
const failureAt = (url: string) =>
  HttpClient.execute(HttpClientRequest.prependUrl(request, url)).pipe(
    Effect.flip,
    Effect.provide(NodeHttpClient.layerUndici)
  )

describe("a failed request", () => {
  it.effect.each([
    ["the host name does not exist", "http://saldo.invalid"],
    ["the port has no listener", "http://127.0.0.1:1"],
    ["no address of the host has a listener", "http://localhost:1"],
    ["the URL is invalid", "http://[::zz]"]
  ] as const)("was provably not sent when %s", ([, url]) =>
    Effect.gen(function* () {
      assert.isTrue(isProvablyUnsent(yield* failureAt(url)))
    })
  )

  it.effect.each(["cut before", "cut after"] satisfies ReadonlyArray<Misbehaviour>)(
    "may have been received when the fault is: connection %s the server acted",
    (misbehaviour) =>
      Effect.gen(function* () {
        const url = yield* fakeServer(() => ({ misbehaviour, reply: () => ({ status: 200, body: {} }) }))
        assert.isFalse(isProvablyUnsent(yield* failureAt(url)))
      }).pipe(Effect.scoped)
  )

  // Error of undici or Node, and whether it proves that nothing was sent.
  it.each([
    ["a self-signed certificate", withCode("DEPTH_ZERO_SELF_SIGNED_CERT"), true],
    ["a certificate for another name", withCode("ERR_TLS_CERT_ALTNAME_INVALID"), true],
    ["an expired certificate", withCode("CERT_HAS_EXPIRED"), true],
    ["a connection timeout", withCode("UND_ERR_CONNECT_TIMEOUT"), true],
    ["an unreachable host while connecting", withCode("EHOSTUNREACH", "connect"), true],
    ["no response of the DNS server", withCode("EAI_AGAIN", "getaddrinfo"), true],
    [
      "a cause inside another error",
      new TypeError("fetch failed", { cause: withCode("ECONNREFUSED", "connect") }),
      true
    ],
    ["an unreachable host while reading", withCode("EHOSTUNREACH", "read"), false],
    ["a broken pipe", withCode("EPIPE", "write"), false],
    ["a reset", withCode("ECONNRESET", "read"), false],
    ["a reset at an unknown time", withCode("ECONNRESET"), false],
    ["a closed connection", withCode("UND_ERR_SOCKET"), false],
    ["a refused connection without a system call", withCode("ECONNREFUSED"), false],
    ["a timeout for the headers", withCode("UND_ERR_HEADERS_TIMEOUT"), false],
    [
      "several addresses, one of which was reached",
      new AggregateError([withCode("ECONNREFUSED", "connect"), withCode("ECONNRESET", "read")]),
      false
    ],
    ["several addresses without errors", new AggregateError([]), false],
    ["text", "ECONNREFUSED", false],
    ["nothing", undefined, false]
  ])("is classified by its cause: %s", (_, cause, unsent) => {
    assert.strictEqual(isProvablyUnsent(failed(cause)), unsent)
  })
})
