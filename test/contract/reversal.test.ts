import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as AuditPostgres from "../../adapters/postgres/AuditPostgres.ts"
import { ReversalAnswer } from "../../core/domain/Reversal.ts"
import { Audit } from "../../core/ports/Audit.ts"
import { recover } from "../../core/workflows/Recover.ts"
import { createClient } from "../../facade/trpc/client.ts"
import { get, post, sell } from "../facade/support/Calls.ts"
import { secret } from "../facade/support/Service.ts"
import { ManualClock, ServiceAddress } from "../support/InProcessService.ts"
import { newToken } from "./support/Customer.ts"
import { money } from "./support/Money.ts"
import { forms, sold, statusOf } from "./support/Reversing.ts"
import { unchanged } from "./support/Rows.ts"
import { Script } from "./support/Script.ts"
import { TestServer } from "./support/Server.ts"

const charged = { available: 900, held: 0, consumed: [100, 100, 100] }
const givenBack = { available: 1000, held: 0, consumed: [0, 0, 0] }

layer(TestServer, { excludeTestServices: true })("a reversal (4.5)", (it) => {
  describe.each(forms)("at $form", ({ reverse, verb }) => {
    it.effect("that is confirmed gives the money back and answers the sale as it now stands, once", () =>
      Effect.gen(function* () {
        const { auth, id } = yield* sold("204518")
        const before = (yield* get(`/v1/transacciones/${id}`, auth)).body.data
        assert.deepStrictEqual(yield* money(auth), charged)
        const { body, headers, status } = yield* reverse(id, auth, "r1")
        assert.deepStrictEqual([status, headers.get("idempotent-replay")], [200, null])
        assert.deepStrictEqual(body.data, {
          ...before,
          status: "REVERSED",
          message: "Operación anulada; el monto fue devuelto."
        })
        assert.deepStrictEqual((yield* get(`/v1/transacciones/${id}`, auth)).body.data, body.data)
        assert.deepStrictEqual(yield* money(auth), givenBack)
        const again = yield* unchanged(reverse(id, auth, "r1"))
        assert.deepStrictEqual([again.status, again.headers.get("idempotent-replay")], [200, "true"])
        assert.deepStrictEqual(again.body.data, body.data)
        const another = yield* unchanged(reverse(id, auth))
        assert.deepStrictEqual(
          [another.status, another.body.error.code, another.body.error.details],
          [422, "VALIDATION_ERROR", { status: "no_anulable" }]
        )
      })
    )

    it.effect("that is denied leaves the sale as it is, and may be asked for again with a new key", () =>
      Effect.gen(function* () {
        const { auth, id, xid } = yield* sold("204593")
        const { body, status } = yield* reverse(id, auth, "r1")
        assert.deepStrictEqual([status, body.error.code], [422, "TRANSACTION_REJECTED"])
        assert.deepStrictEqual(body.error.details, { transaction_id: id, xid, status: "SUCCESS" })
        assert.strictEqual(yield* statusOf(auth, id), "SUCCESS")
        assert.deepStrictEqual(yield* money(auth), charged)
        const again = yield* unchanged(reverse(id, auth, "r1"))
        assert.deepStrictEqual(
          [again.status, again.headers.get("idempotent-replay"), again.body.error],
          [422, "true", body.error]
        )
        const another = yield* reverse(id, auth, "r2")
        assert.deepStrictEqual([another.status, another.headers.get("idempotent-replay")], [422, null])
      })
    )

    it.effect("whose outcome is unknown is settled by recovery, and its key stays the 202 that it answered", () =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { auth, id, xid } = yield* sold("204594")
        const { body, headers, status } = yield* reverse(id, auth, "r1")
        const path = `/v1/transacciones/${id}`
        assert.deepStrictEqual([status, body.error.code], [202, "TRANSACTION_PENDING"])
        assert.deepStrictEqual(body.error.details, { transaction_id: id, xid, status: "PENDING", consultar_en: path })
        assert.deepStrictEqual([headers.get("location"), headers.get("retry-after")], [path, "10"])
        assert.strictEqual(yield* statusOf(auth, id), "SUCCESS")
        assert.deepStrictEqual(yield* money(auth), charged)
        const second = yield* unchanged(reverse(id, auth, "r2"))
        assert.deepStrictEqual(
          [second.status, second.body.error.code, second.body.error.details, second.headers.get("retry-after")],
          [409, "IDEMPOTENT_REQUEST_IN_PROGRESS", { transaction_id: id }, "2"]
        )
        yield* pass("5 seconds")
        yield* recover("due")
        assert.strictEqual(yield* statusOf(auth, id), "REVERSED")
        assert.deepStrictEqual(yield* money(auth), givenBack)
        const again = yield* unchanged(reverse(id, auth, "r1"))
        assert.deepStrictEqual(
          [again.status, again.headers.get("idempotent-replay"), again.body.error],
          [202, "true", body.error]
        )
      })
    )

    it.effect("that never reached the provider frees its key", () =>
      Effect.gen(function* () {
        const { provider } = yield* Script
        const { auth, id } = yield* sold("204500-a")
        provider.set("204500-a", { reverse: () => Effect.succeed(ReversalAnswer.NotSent()) })
        const { body, headers, status } = yield* reverse(id, auth, "r1")
        assert.deepStrictEqual(
          [status, body.error.code, headers.get("retry-after")],
          [422, "SERVICE_UNAVAILABLE", "30"]
        )
        assert.deepStrictEqual(yield* money(auth), charged)
        provider.delete("204500-a")
        const again = yield* reverse(id, auth, "r1")
        assert.deepStrictEqual([again.status, again.headers.get("idempotent-replay")], [200, null])
      })
    )

    it.effect("is in progress while the provider thinks, for its own key and for another", () =>
      Effect.gen(function* () {
        const { provider } = yield* Script
        const asked = Deferred.makeUnsafe<void>()
        const reply = Deferred.makeUnsafe<ReversalAnswer>()
        const identifier = `2045-${verb}`
        provider.set(identifier, {
          reverse: () => Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(reply))
        })
        const { auth, id } = yield* sold(identifier)
        const first = yield* Effect.forkChild(reverse(id, auth, "r1"))
        yield* Deferred.await(asked)
        for (const key of ["r1", "r2"]) {
          const { body, status } = yield* unchanged(reverse(id, auth, key))
          assert.deepStrictEqual([status, body.error.code], [409, "IDEMPOTENT_REQUEST_IN_PROGRESS"])
          assert.deepStrictEqual(body.error.details, { transaction_id: id })
        }
        yield* Deferred.succeed(reply, ReversalAnswer.Confirmed())
        assert.strictEqual((yield* Fiber.join(first)).status, 200)
      })
    )
  })

  it.effect("gives the consumption back to the day of the sale, not to its own", () =>
    Effect.gen(function* () {
      const { until } = yield* ManualClock
      yield* until("2026-03-12T23:59:59-04:00")
      const { auth, id } = yield* sold("204518")
      yield* until("2026-03-13T00:00:00-04:00")
      yield* sell({ service_id: 7, identifier: "204518", amount: 50 }, auth)
      assert.deepStrictEqual(yield* money(auth), { available: 850, held: 0, consumed: [50, 150, 150] })
      yield* post(`/v1/transacciones/${id}/anular`, undefined, { ...auth, "idempotency-key": "r1" })
      assert.deepStrictEqual(yield* money(auth), { available: 950, held: 0, consumed: [50, 50, 50] })
    })
  )

  it.effect("by tRPC is the same procedure", () =>
    Effect.gen(function* () {
      const { url } = yield* ServiceAddress
      const { auth, companyId, id } = yield* sold("204518")
      const { apiKey } = yield* newToken(companyId)
      const client = createClient({ url, apiKey, apiSecret: secret })
      const reversed = yield* Effect.promise(() => client.transacciones.anular.mutate({ id, idempotency_key: "r1" }))
      assert.deepStrictEqual(reversed, (yield* get(`/v1/transacciones/${id}`, auth)).body.data)
      assert.strictEqual(reversed.status, "REVERSED")
    })
  )

  it.effect("leaves books that an audit finds nothing in", () =>
    Effect.gen(function* () {
      const examined = yield* Audit.use((audit) => audit.prove)
      assert.deepStrictEqual(
        examined.filter(({ violations }) => violations > 0),
        []
      )
    }).pipe(Effect.provide(AuditPostgres.layer))
  )
})
