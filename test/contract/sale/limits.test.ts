import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Centavos } from "../../../core/domain/Money.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { get, sell } from "../../support/service/HttpCalls.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

const of = (identifier: string, amount: number) => ({ service_id: 8, identifier, amount })
const sale = (amount: number) => of("8095550003", amount)

type Headers = Record<string, string>

/** Sells for this amount. Returns the details of the error, or the HTTP status of a success. */
const outcome = (auth: Headers, amount: number, path?: string) =>
  Effect.map(sell(sale(amount), auth, path), ({ body, status }) => body.error?.details ?? status)

const consumed = (auth: Headers) =>
  Effect.map(get("/v1/saldo", auth), ({ body }) => Object.values(body.data.consumo_periodo))

const limit = (pesos: number) => Centavos.make(pesos * 100)

layer(SpreadTestServer, { excludeTestServices: true })("consumption limits (contract 2.3 and 8)", (it) => {
  it.effect("default to 50000, 250000 and 1000000 pesos for a company without configured limits", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer({ money: 0 })
      const { data } = (yield* get("/v1/saldo", auth)).body
      assert.deepStrictEqual(data.limites, { diario: 50_000, semanal: 250_000, mensual: 1_000_000 })
      assert.deepStrictEqual(data.consumo_periodo, { diario: 0, semanal: 0, mensual: 0 })
      assert.deepStrictEqual(yield* leavesRowsUnchanged(outcome(auth, 50_001)), {
        periodo: "diario",
        limite: 50_000,
        consumo: 0,
        monto_requerido: 50_001
      })
    })
  )

  it.effect.each([
    ["diario", { daily: limit(500), weekly: limit(500), monthly: limit(500) }],
    ["semanal", { daily: limit(0), weekly: limit(500), monthly: limit(500) }],
    ["mensual", { daily: limit(501), weekly: limit(0), monthly: limit(500) }]
  ] as const)(
    "allow a sale that uses them up exactly, and reject a larger sale with the first exceeded limit: %s",
    ([periodo, limits]) =>
      Effect.gen(function* () {
        for (const path of ["/v1/recargas", "/v1/recharges"]) {
          const { auth } = yield* customer({ limits })
          assert.strictEqual(yield* outcome(auth, 450, path), 201)
          const details = { periodo, limite: 500, consumo: 450, monto_requerido: 50.01 }
          assert.deepStrictEqual(yield* leavesRowsUnchanged(outcome(auth, 50.01, path)), details)
          assert.strictEqual(yield* outcome(auth, 50, path), 201)
          assert.deepStrictEqual(yield* consumed(auth), [500, 500, 500])
        }
      })
  )

  it.effect("of 0 allow any amount", () =>
    Effect.gen(function* () {
      const limits = { daily: limit(0), weekly: limit(0), monthly: limit(0) }
      const { auth } = yield* customer({ limits, money: 2_000_000 })
      assert.strictEqual(yield* outcome(auth, 2_000_000), 201)
    })
  )

  it.effect("are checked before the balance", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer({ limits: { daily: limit(10) }, money: 5 })
      assert.strictEqual((yield* outcome(auth, 11)).periodo, "diario")
      assert.deepStrictEqual(yield* outcome(auth, 6), { saldo_disponible: 5, monto_requerido: 6 })
    })
  )

  it.effect("count held amounts, but not released amounts", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { auth } = yield* customer({ limits: { daily: limit(200) } })
      yield* sell(of("8095550002", 150), auth)
      yield* sell(of("8095550001", 50), auth)
      assert.deepStrictEqual(yield* consumed(auth), [150, 150, 150])
      assert.strictEqual((yield* leavesRowsUnchanged(outcome(auth, 51))).consumo, 150)
      yield* pass("20 seconds")
      yield* recover("due")
      assert.deepStrictEqual(yield* consumed(auth), [0, 0, 0])
      assert.strictEqual(yield* outcome(auth, 200), 201)
    })
  )

  it.effect("start a new period at local midnight, on Monday and on the first of the month", () =>
    Effect.gen(function* () {
      const { until } = yield* ManualClock
      const limits = { daily: limit(100), weekly: limit(250), monthly: limit(400) }
      const { auth } = yield* customer({ limits })
      const days = [
        ["2026-03-12T00:00:00-04:00", 100, [100, 100, 100]],
        [
          "2026-03-12T23:59:59-04:00",
          { periodo: "diario", limite: 100, consumo: 100, monto_requerido: 100 },
          [100, 100, 100]
        ],
        ["2026-03-13T00:00:00-04:00", 100, [100, 200, 200]],
        [
          "2026-03-15T23:59:59-04:00",
          { periodo: "semanal", limite: 250, consumo: 200, monto_requerido: 100 },
          [0, 200, 200]
        ],
        ["2026-03-16T00:00:00-04:00", 100, [100, 100, 300]],
        ["2026-03-23T00:00:00-04:00", 100, [100, 100, 400]],
        [
          "2026-03-31T23:59:59-04:00",
          { periodo: "mensual", limite: 400, consumo: 400, monto_requerido: 100 },
          [0, 0, 400]
        ],
        ["2026-04-01T00:00:00-04:00", 100, [100, 100, 100]]
      ] as const
      for (const [instant, expected, consumption] of days) {
        yield* until(instant)
        assert.deepStrictEqual(yield* outcome(auth, 100), expected === 100 ? 201 : expected, instant)
        assert.deepStrictEqual(yield* consumed(auth), [...consumption], instant)
      }
    })
  )

  it.effect("subtract a released amount from the day of the sale, even when it is released the next day", () =>
    Effect.gen(function* () {
      const { until } = yield* ManualClock
      const { auth } = yield* customer()
      yield* until("2026-04-06T23:59:50-04:00")
      yield* sell(of("8095550002", 100), auth)
      yield* until("2026-04-07T00:00:10-04:00")
      yield* sell(of("8095550003", 30), auth)
      assert.deepStrictEqual(yield* consumed(auth), [30, 130, 130])
      yield* recover("due")
      assert.deepStrictEqual(yield* consumed(auth), [30, 30, 30])
    })
  )

  // The limits, the last second of a period, and the first second of the next period. A sale is made at each of these
  // two times. The last column is the daily, weekly and monthly consumption afterwards.
  it.effect.each([
    [{ weekly: limit(100) }, "2026-04-12T23:59:59-04:00", "2026-04-13T00:00:00-04:00", [100, 100, 200]],
    [
      { weekly: limit(200), monthly: limit(100) },
      "2026-04-30T23:59:59-04:00",
      "2026-05-01T00:00:00-04:00",
      [100, 200, 100]
    ]
  ] as const)("%j do not count a sale at %s in the period that begins at %s", ([limits, before, first, consumption]) =>
    Effect.gen(function* () {
      const { until } = yield* ManualClock
      const { auth } = yield* customer({ limits })
      for (const instant of [before, first]) {
        yield* until(instant)
        assert.strictEqual(yield* outcome(auth, 100), 201, instant)
      }
      assert.deepStrictEqual(yield* consumed(auth), [...consumption])
      // A week can begin in one month and end in the next.
      const { consumo, periodo } = yield* leavesRowsUnchanged(outcome(auth, 1))
      assert.deepStrictEqual([periodo, consumo], ["semanal", consumption[1]])
    })
  )
})
