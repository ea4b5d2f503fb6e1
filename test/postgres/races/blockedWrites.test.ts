import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { DatabaseServer } from "../../../facade/settings/DatabaseServer.ts"
import { commandLineOn } from "../../support/CommandLine.ts"
import { holdingLock } from "../../support/Concurrency.ts"
import { asLoginIn } from "../../support/DatabaseLogins.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { get, sell } from "../../support/service/HttpCalls.ts"
import { TestServer } from "../../support/service/TestServer.ts"

const sold = { service_id: 7, amount: 100, identifier: "204510003" }

layer(TestServer, { excludeTestServices: true })("a deferred write that waits for a lock", (it) => {
  it.effect.each(["cell.replay", "directory.token_use"])("on the table %s delays no request", (table) =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      const [one, other] = [yield* customer(), yield* customer()]
      const headers = { ...one.auth, "idempotency-key": "una" }
      const first = yield* sell(sold, headers)
      // CREATE INDEX takes the same lock.
      const { release } = yield* holdingLock(`lock table ${table} in share mode`)
      const again = yield* Effect.all(
        Array.from({ length: 50 }, () => sell(sold, headers)),
        { concurrency: "unbounded" }
      )
      assert.isTrue(again.every(({ body }) => body.data.transaction_id === first.body.data.transaction_id))
      // The first call of this company reads its token and records the use of the token.
      assert.strictEqual((yield* sell(sold, other.auth)).status, 201)
      assert.strictEqual((yield* get("/v1/saldo", other.auth)).status, 200)
      yield* release
      // The deferred writes retry after a delay. The test clock advances only here.
      yield* pass("1 minute")
    })
  )
})

layer(TestServer, { excludeTestServices: true })("a blocked audit log", (it) => {
  it.effect("makes only those requests fail that must be audited", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* customer(), yield* customer()]
      const { release } = yield* holdingLock("lock table directory.audit_event in share mode")
      const foreign = yield* Effect.forkChild(sell({ ...sold, empresa_id: 999_999 }, one.auth))
      assert.strictEqual((yield* sell(sold, other.auth)).status, 201)
      assert.strictEqual((yield* Fiber.join(foreign)).status, 500)
      yield* release
    })
  )

  it.effect("makes an operator's command fail; the command changes nothing and releases its locks", () =>
    Effect.gen(function* () {
      const { url } = yield* DatabaseServer
      const { answer, run } = commandLineOn(asLoginIn("saldo_operator", Redacted.value(url)))
      const { auth, companyId } = yield* customer()
      const limit = ["company", "set", `${companyId}`, "--limite-diario", "1"]
      const { release } = yield* holdingLock("lock table directory.audit_event in share mode")
      assert.strictEqual((yield* run(...limit)).code, 1)
      assert.strictEqual((yield* sell(sold, auth)).status, 201)
      yield* release
      yield* answer(...limit)
      assert.strictEqual((yield* sell({ ...sold, identifier: "204510004" }, auth)).body.error.code, "LIMIT_EXCEEDED")
    })
  )
})
