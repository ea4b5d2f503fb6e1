import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { DispatchAnswer } from "../../../core/domain/Sale.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { get, moneyOf, sell } from "../../support/service/HttpCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"

type Headers = Record<string, string>

const idIn = (body: { data?: { transaction_id: number }; error?: { details: { transaction_id: number } } }) =>
  body.data?.transaction_id ?? body.error?.details.transaction_id

const statusOf = (auth: Headers, id: number | undefined) =>
  Effect.map(get(`/v1/transactions/${id}`, auth), ({ body }) => body.data.status)

/** A sale of 100 pesos by a company with a balance of 1000. */
const sellTo = (auth: Headers, identifier: string, path: string) =>
  sell({ service_id: 1, identifier, amount: 100 }, auth, path)

const charged = { available: 900, held: 0, consumed: [100, 100, 100] }
const held = { available: 900, held: 100, consumed: [100, 100, 100] }
const untouched = { available: 1000, held: 0, consumed: [0, 0, 0] }

const always =
  <A>(answer: A) =>
  () =>
    Effect.succeed(answer)
const delivery = { authCode: "A1", rechargeToken: null }

layer(SpreadTestServer, { excludeTestServices: true })("a transaction (contract 3.1)", (it) => {
  describe.each(["/v1/recargas", "/v1/recharges"])("sold at %s", (path) => {
    it.effect.each([
      ["delivers", "8095550003", DispatchAnswer.Delivered({ delivery }), 201, undefined, "SUCCESS", charged],
      [
        "refuses the number",
        "8095550013",
        DispatchAnswer.Refused({ refusal: "INVALID_PHONE" }),
        422,
        "INVALID_PHONE",
        "FAILED",
        untouched
      ],
      [
        "refuses the amount",
        "8095550023",
        DispatchAnswer.Refused({ refusal: "INVALID_AMOUNT" }),
        422,
        "INVALID_AMOUNT",
        "FAILED",
        untouched
      ],
      [
        "refuses the sale",
        "8095550033",
        DispatchAnswer.Refused({ refusal: "TRANSACTION_REJECTED" }),
        422,
        "TRANSACTION_REJECTED",
        "FAILED",
        untouched
      ],
      ["gives no definite answer", "8095550043", DispatchAnswer.Unknown(), 202, "TRANSACTION_PENDING", "PENDING", held]
    ] as const)(
      "has the status and money of contract 3.1 when the provider %s",
      ([, identifier, answer, status, code, state, after]) =>
        Effect.gen(function* () {
          const { provider } = yield* Script
          provider.set(identifier, { dispatch: always(answer) })
          const { auth } = yield* customer()
          const sold = yield* sellTo(auth, identifier, path)
          assert.deepStrictEqual([sold.status, sold.body.error?.code], [status, code])
          assert.strictEqual(yield* statusOf(auth, idIn(sold.body)), state)
          assert.deepStrictEqual(yield* moneyOf(auth), after)
        })
    )

    it.effect("is FAILED and its money is released when the provider could not be reached", () =>
      Effect.gen(function* () {
        const { provider } = yield* Script
        provider.set("8095550053", { dispatch: always(DispatchAnswer.NotSent()) })
        const { auth } = yield* customer()
        const sold = yield* sellTo(auth, "8095550053", path)
        assert.deepStrictEqual([sold.status, sold.body.error.code], [422, "SERVICE_UNAVAILABLE"])
        assert.strictEqual(sold.headers.get("retry-after"), "30")
        const { items } = (yield* get("/v1/transacciones", auth)).body.data
        assert.deepStrictEqual(
          items.map((item: { status: string }) => item.status),
          ["FAILED"]
        )
        assert.deepStrictEqual(yield* moneyOf(auth), untouched)
      })
    )

    it.effect("stays PENDING and keeps its hold when the provider does not answer within 30 seconds", () =>
      Effect.gen(function* () {
        const { provider } = yield* Script
        const time = yield* ManualClock
        const { auth } = yield* customer()
        // Advances the clock by 31 seconds while the response of the provider is pending.
        const silence = Effect.yieldNow.pipe(Effect.andThen(time.pass("31 seconds")), Effect.andThen(Effect.never))
        provider.set("8095550063", { dispatch: () => silence })
        const sold = yield* sellTo(auth, "8095550063", path)
        assert.deepStrictEqual([sold.status, sold.body.error.code], [202, "TRANSACTION_PENDING"])
        assert.deepStrictEqual(yield* moneyOf(auth), held)
      })
    )

    it.effect("is PROCESSING with its amount held until the provider answers", () =>
      Effect.gen(function* () {
        const { provider } = yield* Script
        const { auth } = yield* customer()
        const seen: Array<unknown> = []
        const look = Effect.gen(function* () {
          const { items } = (yield* get("/v1/transacciones?status=PROCESSING", auth)).body.data
          const { saldo_actual } = (yield* get("/v1/saldo", auth)).body.data
          assert.strictEqual(saldo_actual, 1000)
          seen.push(items.length, items[0].processed_at, items[0].auth_code, yield* moneyOf(auth))
        })
        const context = yield* Effect.context<Effect.Services<typeof look>>()
        provider.set("8095550073", {
          dispatch: () => Effect.as(Effect.provide(look, context), DispatchAnswer.Delivered({ delivery }))
        })
        assert.strictEqual((yield* sellTo(auth, "8095550073", path)).status, 201)
        assert.deepStrictEqual(seen, [1, null, null, held])
      })
    )

    it.effect.each([
      ["denied", "8095550002", "FAILED", untouched],
      ["still unknown", "8095550012", "PENDING", held],
      ["confirmed", "8095550022", "SUCCESS", charged]
    ] as const)("that is PENDING gets the status that reconciliation finds: %s", ([, identifier, state, after]) =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { auth } = yield* customer()
        const { body } = yield* sellTo(auth, identifier, path)
        const { consultar_en } = body.error.details
        assert.deepStrictEqual(yield* moneyOf(auth), held)
        yield* pass("4 seconds")
        yield* recover("due")
        yield* pass("2 seconds")
        yield* recover("due")
        // The first status query is due 5 seconds after the sale, and the simulator decides after 15 seconds.
        assert.strictEqual((yield* get(consultar_en, auth)).body.data.status, "PENDING")
        yield* pass("10 seconds")
        yield* recover("due")
        const { data } = (yield* get(consultar_en, auth)).body
        assert.deepStrictEqual([data.status, data.processed_at === null], [state, state === "PENDING"])
        assert.deepStrictEqual(yield* moneyOf(auth), after)
      })
    )
  })

  it.effect("with an unknown outcome is queried every five minutes, and charged when the provider confirms it", () =>
    Effect.gen(function* () {
      const { provider } = yield* Script
      const { pass } = yield* ManualClock
      const { auth } = yield* customer()
      const { consultar_en } = (yield* sellTo(auth, "8095550112", "/v1/recargas")).body.error.details
      yield* pass("2 minutes")
      yield* recover("due")
      provider.set("8095550112", { status: () => Effect.succeed({ _tag: "Delivered", delivery }) })
      yield* pass("4 minutes")
      yield* recover("due")
      assert.strictEqual((yield* get(consultar_en, auth)).body.data.status, "PENDING")
      yield* pass("1 minutes")
      yield* recover("due")
      assert.strictEqual((yield* get(consultar_en, auth)).body.data.status, "SUCCESS")
      assert.deepStrictEqual(yield* moneyOf(auth), charged)
    })
  )

  it.effect("in a final status is not changed by reconciliation", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { auth } = yield* customer()
      const sold = yield* sellTo(auth, "8095550003", "/v1/recargas")
      const refused = yield* sellTo(auth, "8095550000", "/v1/recargas")
      const before = yield* moneyOf(auth)
      yield* pass("1 hours")
      yield* recover("all")
      assert.deepStrictEqual(yield* moneyOf(auth), before)
      assert.strictEqual(yield* statusOf(auth, idIn(sold.body)), "SUCCESS")
      assert.strictEqual(yield* statusOf(auth, idIn(refused.body)), "FAILED")
    })
  )
})
