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

/** A party that answers what it is told to, and counts what reaches it. */
const makeParty = Effect.gen(function* () {
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

const call = (client: HttpClient.HttpClient) => Effect.exit(client.get("http://party.invalid/"))

const unsent = (exit: Exit.Exit<unknown, HttpClientError.HttpClientError>): boolean =>
  Exit.isFailure(exit) &&
  Exit.findErrorOption(exit).pipe((error) => error._tag === "Some" && isProvablyUnsent(error.value))

/** Calls to a party that ended so. */
const counted = (party: string, outcome: string) =>
  Effect.map(Metric.snapshot, (all) =>
    all.flatMap(({ attributes, id, state }) =>
      id === "saldo_party_calls_total" && attributes?.["party"] === party && attributes["outcome"] === outcome
        ? [(state as { readonly count: number }).count]
        : []
    )
  )

/** Lets a fiber be interrupted at one of its steps. */
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

describe("a guard around a party", () => {
  it.effect("calls one again when its time is over, though the clock was set back meanwhile", () =>
    Effect.gen(function* () {
      const party = yield* makeParty
      const guard = yield* makeGuard({ party: "healed", calls_max: 8 })
      yield* party.answer(Effect.succeed(503))
      yield* Effect.forEach(Array.from({ length: 10 }), () => call(guard.protect(party.client)))
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

  it.effect("lets a party see the time that there is", () =>
    Effect.gen(function* () {
      const guard = yield* makeGuard({ party: "timed", calls_max: 8 })
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

  it.effect("stops calling one that keeps failing, and tries again with one call", () =>
    Effect.gen(function* () {
      const party = yield* makeParty
      const guard = yield* makeGuard({ party: "failing", calls_max: 8 })
      const client = guard.protect(party.client)
      yield* party.answer(Effect.succeed(503))
      yield* Effect.forEach(Array.from({ length: 10 }), () => call(client))
      assert.isFalse(yield* guard.accepts)
      assert.isTrue(unsent(yield* call(client)), "a call that is not made says that nothing left")
      assert.deepStrictEqual(yield* counted("failing", "5xx"), [10])
      assert.deepStrictEqual(yield* counted("failing", "not_made"), [2], "the question, and the call")
      assert.strictEqual(yield* party.reached, 10)
      yield* TestClock.adjust(Duration.seconds(10))
      assert.isTrue(yield* guard.accepts)
      yield* party.answer(Effect.succeed(200))
      assert.isTrue(Exit.isSuccess(yield* call(client)))
      assert.isTrue(Exit.isSuccess(yield* call(client)))
      assert.strictEqual(yield* party.reached, 12)
    }).pipe(withStore)
  )

  // What it always answers -> whether it is called on; ten failures open a circuit.
  it.effect.each([
    [400, true],
    [499, true],
    [429, false],
    [500, false]
  ] as const)("takes %i for a healthy answer: %s", ([status, healthy]) =>
    Effect.gen(function* () {
      const party = yield* makeParty
      const guard = yield* makeGuard({ party: "carrier", calls_max: 8 })
      yield* party.answer(Effect.succeed(status))
      yield* Effect.forEach(Array.from({ length: 40 }), () => call(guard.protect(party.client)))
      assert.strictEqual(yield* guard.accepts, healthy)
      assert.strictEqual(yield* party.reached, healthy ? 40 : 10)
    }).pipe(withStore)
  )

  it.effect("lets no more calls be in flight than it was given", () =>
    Effect.gen(function* () {
      const party = yield* makeParty
      const guard = yield* makeGuard({ party: "busy", calls_max: 2 })
      const client = guard.protect(party.client)
      yield* party.answer(Effect.never)
      const waiting = yield* Effect.forEach([1, 2], () => Effect.forkChild(call(client), { startImmediately: true }))
      assert.isFalse(yield* guard.accepts)
      assert.isTrue(unsent(yield* call(client)))
      assert.strictEqual(yield* party.reached, 2)
      assert.deepStrictEqual(yield* counted("busy", "not_made"), [2], "the question, and the call")
      yield* Effect.forEach(waiting, Fiber.interrupt)
      assert.isTrue(yield* guard.accepts)
    }).pipe(withStore)
  )

  it.effect("counts a call that has begun to be answered as in flight until the whole answer is there", () =>
    Effect.gen(function* () {
      const endless = HttpClient.make((request) =>
        Effect.succeed(HttpClientResponse.fromWeb(request, new Response(new ReadableStream({ pull: () => undefined }))))
      )
      const guard = yield* makeGuard({ party: "trickling", calls_max: 1 })
      const waiting = yield* Effect.forkChild(call(guard.protect(endless)), { startImmediately: true })
      assert.isFalse(yield* guard.accepts)
      yield* TestClock.adjust(Duration.seconds(29))
      assert.isFalse(unsent(yield* Fiber.join(waiting)))
      assert.isTrue(yield* guard.accepts)
      assert.deepStrictEqual(yield* counted("trickling", "no_answer"), [1])
    }).pipe(withStore)
  )

  it.effect("keeps all of its room when whoever asks about it is interrupted, at whatever step", () =>
    Effect.gen(function* () {
      const guard = yield* makeGuard({ party: "asked", calls_max: 1 })
      for (let step = 1; step < 60; step++) {
        const asked = Effect.provideService(guard.accepts, Scheduler.Scheduler, new PausingOnce(step))
        yield* Fiber.interrupt(yield* Effect.forkChild(asked, { startImmediately: true }))
        assert.isTrue(yield* guard.accepts, `after ${step} steps`)
      }
    }).pipe(withStore)
  )

  it.effect("gives up on one that accepts a call and says nothing, without claiming that nothing was sent", () =>
    Effect.gen(function* () {
      const party = yield* makeParty
      const guard = yield* makeGuard({ party: "carrier", calls_max: 8 })
      yield* party.answer(Effect.never)
      const waiting = yield* Effect.forkChild(call(guard.protect(party.client)), { startImmediately: true })
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

/** The failure of a request to an address. */
const failureAt = (url: string) =>
  HttpClient.execute(HttpClientRequest.prependUrl(request, url)).pipe(
    Effect.flip,
    Effect.provide(NodeHttpClient.layerUndici)
  )

describe("a request that failed", () => {
  it.effect.each([
    ["no address has its name", "http://saldo.invalid"],
    ["nobody listens there", "http://127.0.0.1:1"],
    ["nobody listens at any of its addresses", "http://localhost:1"],
    ["the address is none", "http://[::zz]"]
  ] as const)("was provably not sent when %s", ([, url]) =>
    Effect.gen(function* () {
      assert.isTrue(isProvablyUnsent(yield* failureAt(url)))
    })
  )

  it.effect.each(["cut before", "cut after"] satisfies ReadonlyArray<Misbehaviour>)(
    "may have been received when the connection was %s the server acted",
    (misbehaviour) =>
      Effect.gen(function* () {
        const url = yield* fakeServer(() => ({ misbehaviour, reply: () => ({ status: 200, body: {} }) }))
        assert.isFalse(isProvablyUnsent(yield* failureAt(url)))
      }).pipe(Effect.scoped)
  )

  // what undici and Node say -> whether nothing was sent
  it.each([
    ["a certificate of nobody", withCode("DEPTH_ZERO_SELF_SIGNED_CERT"), true],
    ["a certificate of another name", withCode("ERR_TLS_CERT_ALTNAME_INVALID"), true],
    ["a certificate that is too old", withCode("CERT_HAS_EXPIRED"), true],
    ["no connection in time", withCode("UND_ERR_CONNECT_TIMEOUT"), true],
    ["no way to the host", withCode("EHOSTUNREACH", "connect"), true],
    ["no answer of the name server", withCode("EAI_AGAIN", "getaddrinfo"), true],
    ["a failure inside another", new TypeError("fetch failed", { cause: withCode("ECONNREFUSED", "connect") }), true],
    ["a host that went away", withCode("EHOSTUNREACH", "read"), false],
    ["a broken pipe", withCode("EPIPE", "write"), false],
    ["a reset", withCode("ECONNRESET", "read"), false],
    ["a reset of unknown time", withCode("ECONNRESET"), false],
    ["a closed connection", withCode("UND_ERR_SOCKET"), false],
    ["a refusal without a call", withCode("ECONNREFUSED"), false],
    ["no headers in time", withCode("UND_ERR_HEADERS_TIMEOUT"), false],
    [
      "several addresses, and one that was reached",
      new AggregateError([withCode("ECONNREFUSED", "connect"), withCode("ECONNRESET", "read")]),
      false
    ],
    ["several addresses, and no errors", new AggregateError([]), false],
    ["text", "ECONNREFUSED", false],
    ["nothing", undefined, false]
  ])("by %s", (_, cause, unsent) => {
    assert.strictEqual(isProvablyUnsent(failed(cause)), unsent)
  })
})
