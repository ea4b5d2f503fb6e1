import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { followUp } from "../../core/workflows/FollowUp.ts"
import { recover } from "../../core/workflows/Recover.ts"
import { eventually } from "../support/Eventually.ts"
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
      provider.changeStatus(xid)
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
      provider.changeStatus(sold.xid)
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

/** The contradictions in the audit log about a sale. */
const contradictionsOf = Effect.fnUntraced(function* (transactionId: number) {
  const sql = yield* PgClient.PgClient
  return yield* sql`
    select action, details ->> 'xid' as xid, details ->> 'status' as status
    from directory.audit_event
    where action like 'late\\_%' and (details ->> 'transactionId')::bigint = ${transactionId}`
})

const noContradiction = { asked: 0, contradicted: 0, notAsked: 0 }

layer(loud, { excludeTestServices: true })("a settled sale about which DT One changes its answer", (it) => {
  // The phone, the HTTP status and the status of the sale, the status that DT One has later (REVERSED by default), the alert.
  it.effect.each([
    ["8095551100", 201, "SUCCESS", undefined, "late_reversal"],
    ["8095552100", 201, "SUCCESS", "DECLINED", "late_refusal"],
    ["8095551106", 422, "FAILED", "COMPLETED", "late_success"]
  ] as const)(
    "raises one alert, at the first check after one hour, and moves no money: phone %s, HTTP status %d",
    ([identifier, answered, status, later, alert]) =>
      Effect.gen(function* () {
        const { provider } = yield* ExternalFakes
        const { pass } = yield* ManualClock
        const { auth } = yield* company
        const { body, status: http } = yield* sell({ service_id: 1, identifier, amount: 100 }, auth)
        assert.strictEqual(http, answered)
        const { transaction_id: id, xid } = body.data ?? body.error.details
        const before = yield* balanceOf(auth)
        yield* pass("59 minutes")
        provider.changeStatus(xid, later)
        assert.deepStrictEqual(yield* followUp(4), noContradiction)
        yield* pass("1 minute")
        assert.deepStrictEqual(yield* followUp(4), { asked: 1, contradicted: 1, notAsked: 0 })
        const found = [{ action: alert, xid, status }]
        assert.deepStrictEqual(yield* eventually(contradictionsOf(id), (all) => all.length > 0), found)
        // Later checks find the same contradiction, which is recorded only once.
        yield* pass("5 hours")
        assert.deepStrictEqual(yield* followUp(4), { asked: 1, contradicted: 1, notAsked: 0 })
        yield* pass("100 hours")
        yield* followUp(4)
        assert.deepStrictEqual(yield* contradictionsOf(id), found)
        assert.strictEqual(yield* statusOf(auth, id), status)
        assert.deepStrictEqual(yield* balanceOf(auth), before)
      })
  )
})
