import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { ReversalAnswer } from "../../../core/domain/Reversal.ts"
import { DispatchAnswer } from "../../../core/domain/Sale.ts"
import { SmsAnswer } from "../../../core/domain/Sms.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { eventually } from "../../support/Eventually.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer, deposit } from "../../support/service/CustomerCompany.ts"
import { call, get, post, raw, sell } from "../../support/service/HttpCalls.ts"
import { applicationFor, insuranceCompany, spanish } from "../../support/service/InsuranceCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { subscriber } from "../../support/service/WebhookCalls.ts"
import { getOperations, metrics, monitoredServer } from "../support/MonitoredServer.ts"

const canary = "8095557130"
const sale = { service_id: 1, amount: 100 }

/** Metrics that were read from the database after this moment. They are cached for 5 seconds. */
const freshMetrics = Effect.gen(function* () {
  const { pass } = yield* ManualClock
  yield* pass("6 seconds")
  return yield* metrics
})

layer(monitoredServer({ WEBHOOK_ALLOW_LOCAL: "on" }), { excludeTestServices: true })("the metrics", (it) => {
  it.effect("count each sale once by its outcome", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      for (const identifier of ["8095550123", "8095550124", "8095550120", "8095550112"]) {
        yield* sell({ ...sale, identifier }, auth)
      }
      const key = { ...auth, "idempotency-key": "otra-vez" }
      for (const _ of [1, 2]) yield* sell({ ...sale, identifier: "8095550125" }, key)
      const now = yield* metrics
      const sold = (status: string) => now.get(`saldo_sales_total{status="${status}",tipo="mobile_recharge"}`)
      assert.deepStrictEqual([sold("SUCCESS"), sold("FAILED"), sold("PENDING")], [3, 1, 1])
    })
  )

  it.effect("measure requests by path template and contain no value of a request", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      yield* sell({ ...sale, identifier: canary }, auth)
      yield* get(`/v1/transacciones/${canary}`, auth)
      yield* get(`/v1/transacciones?identifier=${canary}`, auth)
      yield* get(`/v1/${canary}`, auth)
      yield* call(`/trpc/${canary}?input=${canary}`)
      const batch = yield* call(`/trpc/cuenta.${canary},cuenta.ver?batch=1`)
      yield* call(`/v1/info;${canary}`)
      const { text } = yield* getOperations("/metrics")
      assert.notInclude(text, canary)
      const now = yield* metrics
      const count = (method: string, path: string, status: number) =>
        now.get(`saldo_http_request_seconds_count{method="${method}",path="${path}",status="${status}"}`)
      assert.strictEqual(count("GET", "/v1/transacciones/{id}", 404), 1)
      assert.strictEqual(count("GET", "/v1/transacciones", 200), 1)
      assert.strictEqual(count("GET", "/trpc/{unknown}", 404), 1)
      assert.strictEqual(count("GET", "/trpc/{batch}", batch.status), 1)
      assert.strictEqual(count("GET", "{unknown}", 404), 2)
      assert.isAtLeast(count("POST", "/v1/recargas", 201) ?? 0, 1)
    })
  )

  it.effect("count unreadable requests and CONNECT requests", () =>
    Effect.gen(function* () {
      yield* raw("GET /v1/info HTTP/1.1\r\nX A: 1\r\n\r\n")
      yield* raw(`GET /v1/info HTTP/1.1\r\nX-A: ${"a".repeat(16 * 1024)}\r\n\r\n`)
      yield* raw("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n")
      const now = yield* metrics
      const count = (method: string, status: number) =>
        now.get(`saldo_http_request_seconds_count{method="${method}",path="{unknown}",status="${status}"}`)
      assert.deepStrictEqual([count("{unread}", 422), count("{unread}", 431), count("CONNECT", 404)], [1, 1, 1])
    })
  )

  it.effect("count each refused call of a batch", () =>
    Effect.gen(function* () {
      const refused = Effect.map(metrics, (now) =>
        ["UNAUTHENTICATED", "NOT_FOUND"].map((code) => now.get(`saldo_refusals_total{code="${code}"}`) ?? 0)
      )
      const [unauthenticated = 0, notFound = 0] = yield* refused
      yield* call("/trpc/cuenta.ver,nada,sistema.estado,cuenta.saldo?batch=1")
      assert.deepStrictEqual(yield* refused, [unauthenticated + 2, notFound + 1])
    })
  )

  it.effect("show number, amount and age of held sales per environment", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { provider } = yield* Script
      const { auth } = yield* customer()
      provider.set(canary, { dispatch: () => Effect.succeed(DispatchAnswer.Unknown()) })
      const before = yield* freshMetrics
      assert.strictEqual(before.get('saldo_pending_sales{ambiente="production",status="PENDING"}'), 0)
      const held = before.get('saldo_held_pesos{ambiente="development"}')
      assert.strictEqual((yield* sell({ ...sale, identifier: canary }, auth)).status, 202)
      // Marks the sale as a production sale, because the alerts apply only to production.
      const sql = yield* PgClient.PgClient
      yield* sql`update cell.transaction set environment = 'production' where identifier = ${canary} and status = 'PENDING'`
      yield* pass("20 minutes")
      const now = yield* freshMetrics
      assert.strictEqual(now.get('saldo_pending_sales{ambiente="production",status="PENDING"}'), 1)
      assert.strictEqual(now.get('saldo_cell_pending_sales{ambiente="production",cell="cell"}'), 1)
      assert.strictEqual(now.get('saldo_held_pesos{ambiente="production"}'), 100)
      assert.strictEqual(now.get('saldo_pending_oldest_seconds{ambiente="production"}'), 1206)
      assert.strictEqual(now.get('saldo_held_pesos{ambiente="development"}'), held)
    })
  )

  it.effect("show number and age of unsettled reversals, although their sales are settled", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { provider } = yield* Script
      const { auth } = yield* customer()
      const identifier = "204510109"
      provider.set(identifier, { reverse: () => Effect.succeed(ReversalAnswer.Unknown()) })
      const { body } = yield* sell({ service_id: 7, amount: 100, identifier }, auth)
      const id = body.data.transaction_id
      const before = yield* freshMetrics
      assert.strictEqual(before.get('saldo_pending_reversals{ambiente="production"}'), 0)
      assert.strictEqual(before.get('saldo_pending_reversal_oldest_seconds{ambiente="production"}'), 0)
      assert.strictEqual(
        (yield* post(`/v1/transacciones/${id}/anular`, {}, { ...auth, "idempotency-key": "a" })).status,
        202
      )
      const sql = yield* PgClient.PgClient
      yield* sql`update cell.transaction set environment = 'production' where id = ${id}`
      yield* pass("20 minutes")
      const now = yield* freshMetrics
      assert.strictEqual(now.get('saldo_pending_reversals{ambiente="production"}'), 1)
      assert.strictEqual(now.get('saldo_pending_reversals{ambiente="development"}'), 0)
      assert.strictEqual(now.get('saldo_pending_reversal_oldest_seconds{ambiente="production"}'), 1206)
    })
  )

  it.effect("show companies with a low balance and undelivered SMS", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { companyId } = yield* customer({ money: 10 })
      const low = 'saldo_companies_low_balance{ambiente="development"}'
      assert.strictEqual((yield* freshMetrics).get(low), 0)
      yield* sql`update cell.balance set low_balance_alert = available + 1 where company_id = ${companyId}`
      assert.strictEqual((yield* freshMetrics).get(low), 1)
      const lost = 'saldo_sms_undelivered{ambiente="development"}'
      assert.strictEqual((yield* metrics).get(lost), 0)
      const { sms } = yield* Script
      const { auth } = yield* insuranceCompany()
      const application = applicationFor()
      sms.set(application.telefono, () => Effect.succeed(SmsAnswer.Rejected({ reason: "no existe" })))
      assert.strictEqual((yield* spanish.start(auth, application)).status, 201)
      assert.strictEqual((yield* freshMetrics).get(lost), 1)
    })
  )

  it.effect("show due deliveries of active webhooks, and disabled webhooks", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const sql = yield* PgClient.PgClient
      const read = Effect.map(freshMetrics, (now) => {
        const due = (receiver: string) => [
          now.get(`saldo_webhook_deliveries_due{ambiente="development",receiver="${receiver}"}`),
          now.get(`saldo_webhook_due_oldest_seconds{ambiente="development",receiver="${receiver}"}`)
        ]
        return [...due("ok"), ...due("failing"), now.get('saldo_webhooks_disabled{ambiente="development"}')]
      })
      assert.deepStrictEqual(yield* read, [0, 0, 0, 0, 0])
      const { calls, companyId, path } = yield* subscriber()
      yield* deposit(companyId, 10, "d1")
      yield* pass("10 minutes")
      yield* deposit(companyId, 10, "d2")
      assert.deepStrictEqual(yield* read, [2, 606, 0, 0, 0])
      // The company's webhook fails, and its first delivery waits for a retry.
      yield* sql`update cell.webhook set failing_since = created_at where company_id = ${companyId}`
      yield* sql`
        update cell.delivery set due_at = due_at + interval '1 day' where company_id = ${companyId} and sequence = 1`
      assert.deepStrictEqual(yield* read, [0, 0, 1, 12, 0])
      yield* calls("PATCH", path, { estado: "pausado" })
      assert.deepStrictEqual(yield* read, [0, 0, 0, 0, 0])
      yield* sql`update cell.webhook set state = 'desactivado' where company_id = ${companyId}`
      assert.deepStrictEqual(yield* read, [0, 0, 0, 0, 1])
    }).pipe(Effect.scoped)
  )

  it.effect("show the last recovery cycle and the late outcomes of the last hour", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const { provider } = yield* Script
      const { auth } = yield* customer()
      const identifier = "8095557139"
      const services = yield* Effect.context<Effect.Services<ReturnType<typeof recover>>>()
      provider.set(identifier, { dispatch: () => Effect.succeed(DispatchAnswer.Unknown()) })
      yield* sell({ ...sale, identifier }, auth)
      // The first recovery receives "delivered" after its claim expired. In between, a second recovery settles the sale
      // as failed.
      const refused = StatusAnswer.Refused({ refusal: "INVALID_PHONE" })
      provider.set(identifier, {
        status: () =>
          Effect.gen(function* () {
            provider.set(identifier, { status: () => Effect.succeed(refused) })
            yield* pass("2 minutes")
            yield* recover("due")
            return StatusAnswer.Delivered({ delivery: { authCode: "TARDE-1", rechargeToken: null } })
          }).pipe(Effect.provide(services))
      })
      assert.strictEqual((yield* metrics).get('saldo_late_outcomes{kind="late_success"}'), 0)
      yield* pass("10 seconds")
      yield* recover("due")
      // The late outcome is recorded in the background.
      const sql = yield* PgClient.PgClient
      yield* eventually(
        sql`select from directory.audit_event where action = 'late_success'`,
        (events) => events.length > 0
      )
      const now = yield* freshMetrics
      assert.strictEqual(now.get('saldo_late_outcomes{kind="late_success"}'), 1)
      const now_ms = yield* Clock.currentTimeMillis
      assert.strictEqual(now.get("saldo_recovery_last_cycle_timestamp_seconds"), now_ms / 1000 - 6)
      yield* pass("1 hour")
      assert.strictEqual((yield* freshMetrics).get('saldo_late_outcomes{kind="late_success"}'), 0)
    })
  )

  it.effect("show how many sales shared a database statement", () =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const before = (yield* metrics).get('saldo_group_members_sum{group="reserve"}') ?? 0
      const identifiers = ["8095550131", "8095550133", "8095550134"]
      yield* Effect.forEach(identifiers, (identifier) => sell({ ...sale, identifier }, auth), { concurrency: 3 })
      assert.strictEqual((yield* metrics).get('saldo_group_members_sum{group="reserve"}'), before + 3)
    })
  )
})
