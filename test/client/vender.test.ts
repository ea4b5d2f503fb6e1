import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import fc from "fast-check"
import { recover } from "../../core/workflows/Recover.ts"
import { clientIn } from "../../facade/client/Client.ts"
import type { ClientOptions } from "../../facade/client/Connection.ts"
import {
  isSaldoError,
  isSaldoNetworkError,
  type SaldoError,
  type SaldoNetworkError
} from "../../facade/client/index.ts"
import { eventually } from "../support/Eventually.ts"
import { ManualClock, ServiceAddress } from "../support/InProcessService.ts"
import { customer } from "../support/service/CustomerCompany.ts"
import { type Fault, faults, faultyProxy } from "../support/service/FaultyProxy.ts"
import { as, get, moneyOf } from "../support/service/HttpCalls.ts"
import { secret, TestService } from "../support/service/InMemoryService.ts"
import { Script } from "../support/service/ScriptedPorts.ts"
import { TestServer } from "../support/service/TestServer.ts"
import { skippingPauses } from "./SkippedPauses.ts"

const saleOf = (identifier: string) => ({ service_id: 1, identifier, amount: 50 })

const optionsFor = (url: string, apiKey = "todo"): ClientOptions => ({ url, apiKey, apiSecret: secret })

/** The transactions that the service has for an idempotency key. */
const soldWith = (key: string, apiKey = "todo") =>
  Effect.map(
    get(`/v1/transacciones?idempotency_key=${key}`, as(apiKey)),
    ({ body }) => body.data.items as ReadonlyArray<{ readonly status: string; readonly transaction_id: number }>
  )

const failureOf = async (call: Promise<unknown>): Promise<SaldoError | SaldoNetworkError> => {
  try {
    await call
  } catch (error) {
    if (isSaldoError(error) || isSaldoNetworkError(error)) return error
    throw error
  }
  return assert.fail("the call succeeded")
}

const newCaller = () => new AbortController()

layer(TestService, { excludeTestServices: true })("vender", (it) => {
  it.effect(
    "never makes two sales, regardless of what the proxy loses, and returns the result that the service has stored",
    () =>
      Effect.gen(function* () {
        const { plan, url } = yield* faultyProxy
        const context = yield* Effect.context<ServiceAddress>()
        // The last digit decides what the simulator answers: delivered, refused, rejected or unknown.
        const identifier = fc.constantFrom("8095551233", "8095551230", "8095551231", "8095551212")
        const losses = fc.array(fc.constantFrom<Fault>(...faults), { maxLength: 8 })
        const property = fc.asyncProperty(identifier, losses, async (to, next) => {
          plan(...next)
          const idempotency_key = randomUUID()
          const client = clientIn(skippingPauses().surroundings, optionsFor(url))
          const ended = await client.vender({ ...saleOf(to), idempotency_key }).catch((error: unknown) => error)
          const sales = await Effect.runPromiseWith(context)(soldWith(idempotency_key))
          assert.isAtMost(sales.length, 1)
          if (isSaldoError(ended) || isSaldoNetworkError(ended)) {
            assert.strictEqual(ended.idempotencyKey, idempotency_key)
            assert.isTrue(ended.outcomeUnknown || sales.length === 0)
          } else {
            const { status, transaction_id } = ended as { status: string; transaction_id: number }
            assert.deepStrictEqual([[status, transaction_id]], [[sales[0]?.status, sales[0]?.transaction_id]])
          }
        })
        yield* Effect.promise(() => fc.assert(property, { numRuns: 80 }))
      })
  )

  it.effect.each(faults)("sells in spite of two faults, with the same key and the same body: %s", (fault) =>
    Effect.gen(function* () {
      const { plan, seen, url } = yield* faultyProxy
      plan(fault, fault)
      const client = clientIn(skippingPauses().surroundings, optionsFor(url))
      const sold = yield* Effect.promise(() => client.vender(saleOf("8095551233")))
      assert.strictEqual(sold.status, "SUCCESS")
      const bodies = seen.map(({ body }) => body)
      assert.deepStrictEqual(bodies, [bodies[0], bodies[0], bodies[0]])
      assert.strictEqual(JSON.parse(bodies[0] ?? "").idempotency_key, sold.idempotency_key)
      assert.lengthOf(yield* soldWith(sold.idempotency_key), 1)
    })
  )

  it.effect("stops waiting for a silent server after its timeout, and repeats the call", () =>
    Effect.gen(function* () {
      const { plan, url } = yield* faultyProxy
      plan("silence")
      const client = clientIn(skippingPauses().surroundings, optionsFor(url))
      const sold = yield* Effect.promise(() => client.vender(saleOf("8095551233"), { timeout_ms: 300 }))
      assert.lengthOf(yield* soldWith(sold.idempotency_key), 1)
    })
  )

  it.effect("waits as long as the error code or Retry-After requires, and otherwise longer each time", () =>
    Effect.gen(function* () {
      const { plan, url } = yield* faultyProxy
      plan("lost request", "lost request", "rate limited", "in progress", "unavailable")
      const { pauses, surroundings } = skippingPauses()
      yield* Effect.promise(() => clientIn(surroundings, optionsFor(url)).vender(saleOf("8095551233")))
      assert.deepStrictEqual(pauses, [500, 1_000, 1_000, 2_000, 8_000])
    })
  )

  it.effect(
    "retries until the deadline while the service reports the sale as in progress, and not after the deadline",
    () =>
      Effect.gen(function* () {
        const { plan, seen, url } = yield* faultyProxy
        plan(...Array.from({ length: 40 }, () => "in progress" as const))
        const client = clientIn(skippingPauses().surroundings, optionsFor(url))
        const call = () => client.vender(saleOf("8095551233"), { deadline_ms: 30_000 })
        const failure = yield* Effect.promise(() => failureOf(call()))
        assert.isTrue(isSaldoError(failure) && failure.code === "IDEMPOTENT_REQUEST_IN_PROGRESS")
        assert.deepStrictEqual([failure.outcomeUnknown, seen.length], [true, 16])
      })
  )

  it.effect("does not repeat when retries are off, and reports the outcome as unknown", () =>
    Effect.gen(function* () {
      const { plan, seen, url } = yield* faultyProxy
      plan("lost response")
      const client = clientIn(skippingPauses().surroundings, { ...optionsFor(url), retries: 0 })
      const failure = yield* Effect.promise(() => failureOf(client.vender(saleOf("8095551233"))))
      assert.isTrue(isSaldoNetworkError(failure) && failure.outcomeUnknown)
      assert.lengthOf(seen, 1)
      // Selling again with the key of the error returns the same sale.
      const { idempotencyKey: idempotency_key = "" } = failure
      const sold = yield* Effect.promise(() => client.vender({ ...saleOf("8095551233"), idempotency_key }))
      assert.lengthOf(yield* soldWith(idempotency_key), 1)
      assert.strictEqual(sold.idempotency_key, idempotency_key)
    })
  )

  it.effect("sends the sale once, and after a 202 only reads the transaction", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* faultyProxy
      const client = clientIn(skippingPauses().surroundings, optionsFor(url))
      const sold = yield* Effect.promise(() => client.vender(saleOf("8095551212"), { deadline_ms: 20_000 }))
      const read = `/trpc/transacciones.ver?input=${encodeURIComponent(JSON.stringify({ id: sold.transaction_id }))}`
      assert.deepStrictEqual(
        seen.map(({ path }) => path),
        ["/trpc/recargas.crear", read, read]
      )
    })
  )

  it.effect.each([
    ["8095551230", "FAILED", "INVALID_PHONE"],
    ["8095551231", "FAILED", "TRANSACTION_REJECTED"]
  ] as const)("returns a sale to %s that the provider refuses as %s: %s", ([identifier, status, code]) =>
    Effect.gen(function* () {
      const { url } = yield* ServiceAddress
      const client = clientIn(skippingPauses().surroundings, optionsFor(url))
      const sold = yield* Effect.promise(() => client.vender(saleOf(identifier)))
      assert.deepStrictEqual([sold.status, sold.status === "FAILED" && sold.code], [status, code])
    })
  )

  it.effect("throws the error without a retry if the sale is refused before the reservation", () =>
    Effect.gen(function* () {
      const { seen, url } = yield* faultyProxy
      const client = clientIn(skippingPauses().surroundings, optionsFor(url))
      const failure = yield* Effect.promise(() => failureOf(client.vender({ ...saleOf("8095551233"), amount: "x" })))
      assert.deepStrictEqual(isSaldoError(failure) && failure.details, { amount: "invalido" })
      assert.deepStrictEqual([failure.outcomeUnknown, seen.length], [false, 1])
    })
  )

  it.effect.each([
    ["a rate limit", "lost response", 50, Array.from({ length: 8 }, () => "rate limited" as const)],
    ["a refusal of the input", "lost request", "x", []]
  ] as const)("reports the outcome as unknown if a call was lost before %s", ([, first, amount, others]) =>
    Effect.gen(function* () {
      const { plan, url } = yield* faultyProxy
      plan(first, ...others)
      const client = clientIn(skippingPauses().surroundings, optionsFor(url))
      const sale = { ...saleOf("8095551233"), amount }
      const failure = yield* Effect.promise(() => failureOf(client.vender(sale, { deadline_ms: 5_000 })))
      assert.isTrue(isSaldoError(failure) && failure.outcomeUnknown)
    })
  )

  it.effect("rejects with the abort reason of the caller's signal, also before and between its calls", () =>
    Effect.gen(function* () {
      const { plan, seen, url } = yield* faultyProxy
      plan("silence")
      const caller = newCaller()
      const reason = new Error("the customer left")
      const client = clientIn(skippingPauses().surroundings, optionsFor(url))
      const rejected = (signal: AbortSignal) =>
        Effect.promise(() => client.vender(saleOf("8095551233"), { signal }).catch((error: unknown) => error))
      const waiting = client.vender(saleOf("8095551234"), { signal: caller.signal }).catch((error: unknown) => error)
      yield* eventually(
        Effect.sync(() => seen.length),
        (count) => count > 0
      )
      caller.abort(reason)
      assert.strictEqual(yield* Effect.promise(() => waiting), reason)
      assert.strictEqual(yield* rejected(caller.signal), reason)
      assert.lengthOf(seen, 1)
      const later = newCaller()
      const pausing = clientIn(
        skippingPauses(async () => later.abort(reason)).surroundings,
        optionsFor("http://127.0.0.1:1")
      )
      const ended = pausing.vender(saleOf("8095551234"), { signal: later.signal }).catch((error: unknown) => error)
      assert.strictEqual(yield* Effect.promise(() => ended), reason)
    })
  )
})

/** A client of a new company. In each of its pauses, time passes, a server that died starts again, and recovery runs. */
const withRecovery = Effect.fnUntraced(function* (wanted: Parameters<typeof customer>[0] = {}) {
  const { pass } = yield* ManualClock
  const { crash } = yield* Script
  const { url } = yield* ServiceAddress
  const { apiKey, auth } = yield* customer(wanted)
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof recover>>>()
  const { pauses, surroundings } = skippingPauses((duration_ms) => {
    crash.clear()
    return Effect.runPromiseWith(context)(Effect.andThen(pass(Duration.millis(duration_ms)), recover("due")))
  })
  return { client: clientIn(surroundings, optionsFor(url, apiKey)), auth, apiKey, pauses }
})

const untouched = { available: 1_000, held: 0, consumed: [0, 0, 0] }
const charged = { available: 950, held: 0, consumed: [50, 50, 50] }
const held = { available: 950, held: 50, consumed: [50, 50, 50] }

layer(TestServer, { excludeTestServices: true })("vender, after a sale with unknown outcome,", (it) => {
  it.effect.each([
    ["8095550122", "SUCCESS", charged],
    ["8095550102", "FAILED", untouched],
    ["8095550112", "PENDING", held]
  ] as const)(
    "reads the transaction of %s until it is settled or the deadline has passed: %s",
    ([identifier, status, money]) =>
      Effect.gen(function* () {
        const { apiKey, auth, client, pauses } = yield* withRecovery()
        const sold = yield* Effect.promise(() => client.vender(saleOf(identifier)))
        assert.strictEqual(sold.status, status)
        assert.deepStrictEqual(yield* moneyOf(auth), money)
        assert.lengthOf(yield* soldWith(sold.idempotency_key, apiKey), 1)
        assert.strictEqual(
          pauses.reduce((sum, each) => sum + each, 0),
          status === "PENDING" ? 120_000 : pauses.length * 10_000
        )
      })
  )

  it.effect("returns the same fields as a sale that is delivered immediately", () =>
    Effect.gen(function* () {
      const { client } = yield* withRecovery()
      const later = yield* Effect.promise(() => client.vender(saleOf("8095550122")))
      const atOnce = yield* Effect.promise(() => client.vender(saleOf("8095550123")))
      assert.sameMembers(Object.keys(later), Object.keys(atOnce))
      const { processed_at } = later as { processed_at?: string }
      assert.match(processed_at ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-04:00$/)
    })
  )

  it.effect("returns PENDING immediately with a deadline of 0", () =>
    Effect.gen(function* () {
      const { client, pauses } = yield* withRecovery()
      const sold = yield* Effect.promise(() => client.vender(saleOf("8095550122"), { deadline_ms: 0 }))
      assert.deepStrictEqual([sold.status, pauses], ["PENDING", []])
    })
  )

  it.effect("returns PENDING, with the error, if the token may not read transactions", () =>
    Effect.gen(function* () {
      const { client } = yield* withRecovery({ token: { permissions: ["recharges.create"] } })
      const sold = yield* Effect.promise(() => client.vender(saleOf("8095550122")))
      assert.isTrue(sold.status === "PENDING" && isSaldoError(sold.error) && sold.error.code === "FORBIDDEN")
    })
  )

  it.effect("returns the sale of a server process that died, once recovery has settled it", () =>
    Effect.gen(function* () {
      const { crash } = yield* Script
      crash.add("8095550133")
      const { apiKey, auth, client } = yield* withRecovery()
      const sold = yield* Effect.promise(() => client.vender(saleOf("8095550133")))
      assert.strictEqual(sold.status, "SUCCESS")
      assert.deepStrictEqual(yield* moneyOf(auth), charged)
      assert.lengthOf(yield* soldWith(sold.idempotency_key, apiKey), 1)
    })
  )
})
