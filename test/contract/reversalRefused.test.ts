import { randomUUID } from "node:crypto"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CompanyId } from "../../core/domain/Ids.ts"
import { post, sell } from "../facade/support/Calls.ts"
import { customer, newToken } from "./support/Customer.ts"
import { forms, sold, statusOf } from "./support/Reversing.ts"
import { unchanged } from "./support/Rows.ts"
import { TestServer } from "./support/Server.ts"

layer(TestServer, { excludeTestServices: true })("a reversal (4.5)", (it) => {
  describe.each(forms)("at $form", ({ pathOf, reverse }) => {
    // service, identifier -> how the sale ended, and what a reversal of it answers
    it.effect.each([
      [1, "8095551234", "SUCCESS", "REVERSAL_NOT_SUPPORTED", undefined],
      [1, "8095551231", "FAILED", "REVERSAL_NOT_SUPPORTED", undefined],
      [7, "204511", "FAILED", "VALIDATION_ERROR", { status: "no_anulable" }],
      [7, "204512", "PENDING", "VALIDATION_ERROR", { status: "no_anulable" }]
    ] as const)("of service %d for %s, which is %s: %s", ([service, identifier, stands, code, details]) =>
      Effect.gen(function* () {
        const { auth, id } = yield* sold(identifier, service)
        assert.strictEqual(yield* statusOf(auth, id), stands)
        const { body, status } = yield* unchanged(reverse(id, auth, "r1"))
        assert.deepStrictEqual([status, body.error.code, body.error.details], [422, code, details])
        const { body: sale } = yield* sell({ service_id: 7, identifier: "204518", amount: 50 }, auth)
        assert.strictEqual((yield* reverse(sale.data.transaction_id, auth, "r1")).status, 200)
      })
    )

    it.effect("of what is not there, or not the caller's, is 404", () =>
      Effect.gen(function* () {
        const { auth } = yield* customer()
        const { id: foreign } = yield* sold("204518")
        for (const id of [foreign, 999_999_999, "0", "-1", "1.5", "abc", "9007199254740993"]) {
          const { body, status } = yield* unchanged(reverse(id, auth))
          assert.deepStrictEqual([status, body.error.code], [404, "NOT_FOUND"], String(id))
        }
      })
    )

    it.effect("needs a key of its own", () =>
      Effect.gen(function* () {
        const { auth, id, key } = yield* sold("204518")
        const reused = { "Idempotency-Key": "clave_reutilizada" }
        const other = (yield* sell({ service_id: 7, identifier: "204518", amount: 50 }, auth)).body.data.transaction_id
        const without = yield* unchanged(post(pathOf(id), undefined, auth))
        assert.deepStrictEqual([without.status, without.body.error.details], [422, { "Idempotency-Key": "requerido" }])
        const long = yield* unchanged(reverse(id, auth, "x".repeat(129)))
        assert.deepStrictEqual([long.status, long.body.error.details], [422, { "Idempotency-Key": "longitud" }])
        const ofSale = yield* unchanged(reverse(id, auth, key))
        assert.deepStrictEqual([ofSale.status, ofSale.body.error.details], [422, reused])
        assert.strictEqual((yield* reverse(id, auth, "r1")).status, 200)
        const ofReversal = yield* unchanged(reverse(other, auth, "r1"))
        assert.deepStrictEqual([ofReversal.status, ofReversal.body.error.details], [422, reused])
        const sale = yield* unchanged(
          sell({ service_id: 7, identifier: "204518", amount: 50 }, { ...auth, "idempotency-key": "r1" })
        )
        assert.deepStrictEqual([sale.status, sale.body.error.details], [422, reused])
      })
    )

    it.effect.each([
      ["nothing", undefined, 200, undefined],
      ["an empty object", {}, 200, undefined],
      ["an object that says something else", '{"id":999,"idempotency_key":"x","amount":"a"}', 200, undefined],
      ["a list", [], 422, { body: "json_invalido" }],
      ["null", null, 422, { body: "json_invalido" }],
      ["half of an object", "{", 422, { body: "json_invalido" }],
      ["a company that is no number", { empresa_id: "x" }, 422, { empresa_id: "invalido" }],
      ["another company", { empresa_id: CompanyId.make(1) }, 403, undefined]
    ] as const)("with %s as its body", ([, body, status, details]) =>
      Effect.gen(function* () {
        const { auth, id } = yield* sold("204518")
        const answer = yield* reverse(id, auth, randomUUID(), body)
        assert.deepStrictEqual([answer.status, answer.body.error?.details], [status, details])
        assert.strictEqual(yield* statusOf(auth, id), status === 200 ? "REVERSED" : "SUCCESS")
      })
    )

    it.effect("needs its permission", () =>
      Effect.gen(function* () {
        const { companyId, id } = yield* sold("204518")
        const reader = yield* newToken(companyId, { permissions: ["transactions.read", "recharges.create"] })
        const refused = yield* unchanged(reverse(id, reader.auth))
        assert.deepStrictEqual([refused.status, refused.body.error.code], [403, "FORBIDDEN"])
        assert.strictEqual((yield* reverse(id, {})).status, 401)
        const reverser = yield* newToken(companyId, { permissions: ["transactions.reverse"] })
        assert.strictEqual((yield* reverse(id, reverser.auth)).status, 200)
      })
    )
  })
})
