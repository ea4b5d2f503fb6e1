import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { recover } from "../../core/workflows/Recover.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { CapturedLog } from "../support/service/CapturedLog.ts"
import { get, post, sell } from "../support/service/HttpCalls.ts"
import { insuranceCompany as insuring } from "../support/service/InsuranceCalls.ts"
import { statusOf } from "../support/service/ReversalCalls.ts"
import { ExternalFakes, production } from "./support/Production.ts"

const company = insuring({ company: { environment: "production" }, money: 1_000 })

const balanceOf = (auth: Record<string, string>) =>
  Effect.map(get("/v1/saldo", auth), ({ body: { data } }) => [data.saldo_disponible, data.saldo_retenido])

const loud = production("dtone", { LOG_LEVEL: "error", LOG_FORMAT: "json" }).pipe(Layer.provideMerge(CapturedLog.layer))

layer(loud, { excludeTestServices: true })("a sale that the provider reverses by hand", (it) => {
  it.effect("before its delivery was recorded stays held, and raises an alert", () =>
    Effect.gen(function* () {
      const { provider } = yield* ExternalFakes
      const { pass } = yield* ManualClock
      const { auth } = yield* company
      // DT One's sandbox delivers to numbers that end in 300 after five minutes.
      const { body } = yield* sell({ service_id: 1, identifier: "8095551300", amount: 100 }, auth)
      const { transaction_id, xid } = body.error.details
      provider.takeBack(xid)
      for (let cycle = 0; cycle < 6; cycle++) {
        yield* pass("5 minutes")
        yield* recover("due")
      }
      assert.strictEqual(yield* statusOf(auth, transaction_id), "PENDING")
      assert.deepStrictEqual(yield* balanceOf(auth), [900, 100])
      const alerts = (yield* CapturedLog).filter((line) => line.includes("DT One reversed"))
      assert.isAbove(alerts.length, 0)
      for (const alert of alerts) assert.include(alert, xid)
    })
  )

  it.effect("after it was charged stays charged until a client requests the reversal, which returns the money", () =>
    Effect.gen(function* () {
      const { provider } = yield* ExternalFakes
      const { pass } = yield* ManualClock
      const { auth } = yield* company
      const sold = (yield* sell({ service_id: 7, identifier: "JUGADOR-8", amount: 100 }, auth)).body.data
      const reverse = (key: string) =>
        post(`/v1/transacciones/${sold.transaction_id}/anular`, undefined, { ...auth, "idempotency-key": key })
      assert.strictEqual((yield* reverse("antes")).body.error.code, "TRANSACTION_REJECTED")
      provider.takeBack(sold.xid)
      yield* pass("5 minutes")
      yield* recover("all")
      assert.strictEqual(yield* statusOf(auth, sold.transaction_id), "SUCCESS")
      assert.deepStrictEqual(yield* balanceOf(auth), [900, 0])
      assert.strictEqual((yield* reverse("después")).status, 200)
      assert.strictEqual(yield* statusOf(auth, sold.transaction_id), "REVERSED")
      assert.deepStrictEqual(yield* balanceOf(auth), [1_000, 0])
    })
  )
})
