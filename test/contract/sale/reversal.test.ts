import { randomUUID } from "node:crypto"
import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { ReversalAnswer } from "../../../core/domain/Reversal.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import { createClient } from "../../../facade/client/index.ts"
import { violatedInvariants } from "../../support/Database.ts"
import { ManualClock, ServiceAddress } from "../../support/InProcessService.ts"
import { customer, newToken } from "../../support/service/CustomerCompany.ts"
import { get, moneyOf, post, sell } from "../../support/service/HttpCalls.ts"
import { secret } from "../../support/service/InMemoryService.ts"
import { reversalForms, sold, statusOf } from "../../support/service/ReversalCalls.ts"
import { Script } from "../../support/service/ScriptedPorts.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

const charged = { available: 900, held: 0, consumed: [100, 100, 100] }
const givenBack = { available: 1000, held: 0, consumed: [0, 0, 0] }

layer(SpreadTestServer, { excludeTestServices: true })("a reversal (contract 4.5)", (it) => {
  describe.each(reversalForms)("at $form", ({ reverse, verb }) => {
    it.effect("returns the money once if the provider confirms it, and responds with the reversed sale", () =>
      Effect.gen(function* () {
        const { auth, id } = yield* sold("204518")
        const before = (yield* get(`/v1/transacciones/${id}`, auth)).body.data
        assert.deepStrictEqual(yield* moneyOf(auth), charged)
        const { body, headers, status } = yield* reverse(id, auth, "r1")
        assert.deepStrictEqual([status, headers.get("idempotent-replay")], [200, null])
        assert.deepStrictEqual(body.data, {
          ...before,
          status: "REVERSED",
          message: "Operación anulada; el monto fue devuelto.",
          anulacion: { status: "REVERSED", solicitada_en: before.created_at, resuelta_en: before.created_at }
        })
        assert.deepStrictEqual((yield* get(`/v1/transacciones/${id}`, auth)).body.data, body.data)
        assert.deepStrictEqual(yield* moneyOf(auth), givenBack)
        const again = yield* leavesRowsUnchanged(reverse(id, auth, "r1"))
        assert.deepStrictEqual([again.status, again.headers.get("idempotent-replay")], [200, "true"])
        assert.deepStrictEqual(again.body.data, body.data)
        const another = yield* leavesRowsUnchanged(reverse(id, auth))
        assert.deepStrictEqual(
          [another.status, another.body.error.code, another.body.error.details],
          [422, "VALIDATION_ERROR", { status: "no_anulable" }]
        )
      })
    )

    it.effect("leaves the sale unchanged if the provider denies it, and can be requested again under a new key", () =>
      Effect.gen(function* () {
        const { auth, id, xid } = yield* sold("204593")
        const { body, status } = yield* reverse(id, auth, "r1")
        assert.deepStrictEqual([status, body.error.code], [422, "TRANSACTION_REJECTED"])
        assert.deepStrictEqual(body.error.details, { transaction_id: id, xid, status: "SUCCESS" })
        assert.strictEqual(yield* statusOf(auth, id), "SUCCESS")
        assert.deepStrictEqual(yield* moneyOf(auth), charged)
        const again = yield* leavesRowsUnchanged(reverse(id, auth, "r1"))
        assert.deepStrictEqual(
          [again.status, again.headers.get("idempotent-replay"), again.body.error],
          [422, "true", body.error]
        )
        const another = yield* reverse(id, auth, "r2")
        assert.deepStrictEqual([another.status, another.headers.get("idempotent-replay")], [422, null])
      })
    )

    it.effect("with an unknown outcome is settled by recovery, but its key still replays the original 202", () =>
      Effect.gen(function* () {
        const { pass } = yield* ManualClock
        const { auth, id, xid } = yield* sold("204594")
        const { body, headers, status } = yield* reverse(id, auth, "r1")
        const path = `/v1/transacciones/${id}`
        assert.deepStrictEqual([status, body.error.code], [202, "TRANSACTION_PENDING"])
        assert.deepStrictEqual(body.error.details, { transaction_id: id, xid, status: "PENDING", consultar_en: path })
        assert.deepStrictEqual([headers.get("location"), headers.get("retry-after")], [path, "10"])
        assert.strictEqual(yield* statusOf(auth, id), "SUCCESS")
        assert.deepStrictEqual(yield* moneyOf(auth), charged)
        const second = yield* leavesRowsUnchanged(reverse(id, auth, "r2"))
        assert.deepStrictEqual(
          [second.status, second.body.error.code, second.body.error.details, second.headers.get("retry-after")],
          [409, "IDEMPOTENT_REQUEST_IN_PROGRESS", { transaction_id: id }, "2"]
        )
        yield* pass("5 seconds")
        yield* recover("due")
        assert.strictEqual(yield* statusOf(auth, id), "REVERSED")
        assert.deepStrictEqual(yield* moneyOf(auth), givenBack)
        const again = yield* leavesRowsUnchanged(reverse(id, auth, "r1"))
        assert.deepStrictEqual(
          [again.status, again.headers.get("idempotent-replay"), again.body.error],
          [202, "true", body.error]
        )
      })
    )

    it.effect("can be retried under the same key if it did not reach the provider", () =>
      Effect.gen(function* () {
        const { provider } = yield* Script
        const { auth, id } = yield* sold("204500-a")
        provider.set("204500-a", { reverse: () => Effect.succeed(ReversalAnswer.NotSent()) })
        const { body, headers, status } = yield* reverse(id, auth, "r1")
        assert.deepStrictEqual(
          [status, body.error.code, headers.get("retry-after")],
          [422, "SERVICE_UNAVAILABLE", "30"]
        )
        assert.deepStrictEqual(yield* moneyOf(auth), charged)
        provider.delete("204500-a")
        const again = yield* reverse(id, auth, "r1")
        assert.deepStrictEqual([again.status, again.headers.get("idempotent-replay")], [200, null])
      })
    )

    it.effect("is reported as in progress, under its own key or another, until the provider answers", () =>
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
          const { body, status } = yield* leavesRowsUnchanged(reverse(id, auth, key))
          assert.deepStrictEqual([status, body.error.code], [409, "IDEMPOTENT_REQUEST_IN_PROGRESS"])
          assert.deepStrictEqual(body.error.details, { transaction_id: id })
        }
        yield* Deferred.succeed(reply, ReversalAnswer.Confirmed())
        assert.strictEqual((yield* Fiber.join(first)).status, 200)
      })
    )
  })

  it.effect("reduces the consumption of the day of the sale, not of the day of the reversal", () =>
    Effect.gen(function* () {
      const { until } = yield* ManualClock
      yield* until("2026-03-12T23:59:59-04:00")
      const { auth, id } = yield* sold("204518")
      yield* until("2026-03-13T00:00:00-04:00")
      yield* sell({ service_id: 7, identifier: "204518", amount: 50 }, auth)
      assert.deepStrictEqual(yield* moneyOf(auth), { available: 850, held: 0, consumed: [50, 150, 150] })
      yield* post(`/v1/transacciones/${id}/anular`, undefined, { ...auth, "idempotency-key": "r1" })
      assert.deepStrictEqual(yield* moneyOf(auth), { available: 950, held: 0, consumed: [50, 50, 50] })
    })
  )

  it.effect("over tRPC has the same result as over REST", () =>
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

  it.effect("violates no invariant of `saldo audit`", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* violatedInvariants, [])
    }).pipe(Effect.provide(AuditPostgres.layer))
  )
})

layer(SpreadTestServer, { excludeTestServices: true })("a reversal (contract 4.5)", (it) => {
  describe.each(reversalForms)("at $form", ({ pathOf, reverse }) => {
    // Service, identifier, status of the sale, and the error of its reversal.
    it.effect.each([
      [1, "8095551234", "SUCCESS", "REVERSAL_NOT_SUPPORTED", undefined],
      [1, "8095551231", "FAILED", "REVERSAL_NOT_SUPPORTED", undefined],
      [7, "204511", "FAILED", "VALIDATION_ERROR", { status: "no_anulable" }],
      [7, "204512", "PENDING", "VALIDATION_ERROR", { status: "no_anulable" }]
    ] as const)(
      "of a sale of service %d to %s, which is %s, is rejected with %s",
      ([service, identifier, stands, code, details]) =>
        Effect.gen(function* () {
          const { auth, id } = yield* sold(identifier, service)
          assert.strictEqual(yield* statusOf(auth, id), stands)
          const { body, status } = yield* leavesRowsUnchanged(reverse(id, auth, "r1"))
          assert.deepStrictEqual([status, body.error.code, body.error.details], [422, code, details])
          const { body: sale } = yield* sell({ service_id: 7, identifier: "204518", amount: 50 }, auth)
          assert.strictEqual((yield* reverse(sale.data.transaction_id, auth, "r1")).status, 200)
        })
    )

    it.effect("of a transaction that does not exist, or belongs to another company, is answered with 404", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const { id: foreign } = yield* sold("204518")
        for (const id of [foreign, 999_999_999, "0", "-1", "1.5", "abc", "9007199254740993"]) {
          const { body, status } = yield* leavesRowsUnchanged(reverse(id, auth))
          assert.deepStrictEqual([status, body.error.code], [404, "NOT_FOUND"], String(id))
        }
      })
    )

    it.effect("requires a key that no sale and no other reversal has used", () =>
      Effect.gen(function* () {
        const { auth, id, key } = yield* sold("204518")
        const reused = { "Idempotency-Key": "clave_reutilizada" }
        const other = (yield* sell({ service_id: 7, identifier: "204518", amount: 50 }, auth)).body.data.transaction_id
        const without = yield* leavesRowsUnchanged(post(pathOf(id), undefined, auth))
        assert.deepStrictEqual([without.status, without.body.error.details], [422, { "Idempotency-Key": "requerido" }])
        const long = yield* leavesRowsUnchanged(reverse(id, auth, "x".repeat(129)))
        assert.deepStrictEqual([long.status, long.body.error.details], [422, { "Idempotency-Key": "longitud" }])
        const ofSale = yield* leavesRowsUnchanged(reverse(id, auth, key))
        assert.deepStrictEqual([ofSale.status, ofSale.body.error.details], [422, reused])
        assert.strictEqual((yield* reverse(id, auth, "r1")).status, 200)
        const ofReversal = yield* leavesRowsUnchanged(reverse(other, auth, "r1"))
        assert.deepStrictEqual([ofReversal.status, ofReversal.body.error.details], [422, reused])
        const sale = yield* leavesRowsUnchanged(
          sell({ service_id: 7, identifier: "204518", amount: 50 }, { ...auth, "idempotency-key": "r1" })
        )
        assert.deepStrictEqual([sale.status, sale.body.error.details], [422, reused])
      })
    )

    it.effect.each([
      ["nothing", 200, undefined, undefined],
      ["an empty object", 200, {}, undefined],
      ["an object with unknown fields", 200, '{"id":999,"idempotency_key":"x","amount":"a"}', undefined],
      ["a list", 422, [], { body: "json_invalido" }],
      ["null", 422, null, { body: "json_invalido" }],
      ["a truncated object", 422, "{", { body: "json_invalido" }],
      ["a company id that is not a number", 422, { empresa_id: "x" }, { empresa_id: "invalido" }],
      ["another company", 403, { empresa_id: CompanyId.make(1) }, { motivo: "empresa_ajena" }]
    ] as const)("with %s as its body is answered with %d", ([, status, body, details]) =>
      Effect.gen(function* () {
        const { auth, id } = yield* sold("204518")
        const answer = yield* reverse(id, auth, randomUUID(), body)
        assert.deepStrictEqual([answer.status, answer.body.error?.details], [status, details])
        assert.strictEqual(yield* statusOf(auth, id), status === 200 ? "REVERSED" : "SUCCESS")
      })
    )

    it.effect("requires the permission to reverse", () =>
      Effect.gen(function* () {
        const { companyId, id } = yield* sold("204518")
        const reader = yield* newToken(companyId, { permissions: ["transactions.read", "recharges.create"] })
        const refused = yield* leavesRowsUnchanged(reverse(id, reader.auth))
        assert.deepStrictEqual([refused.status, refused.body.error.code], [403, "FORBIDDEN"])
        assert.strictEqual((yield* reverse(id, {})).status, 401)
        const reverser = yield* newToken(companyId, { permissions: ["transactions.reverse"] })
        assert.strictEqual((yield* reverse(id, reverser.auth)).status, 200)
      })
    )
  })
})
