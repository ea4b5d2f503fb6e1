import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { inlinedApiDocument } from "../../support/ApiDocument.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { sell } from "../../support/service/HttpCalls.ts"
import { reversalForms, sold } from "../../support/service/ReversalCalls.ts"
import { TestServer } from "../../support/service/TestServer.ts"

const { paths } = inlinedApiDocument

/** Description and example error in the OpenAPI document for a status and code of an operation. */
const shown = (path: string, status: number, code: string) => {
  const { content, description } = paths[path].post.responses[status]
  return { description, error: content["application/json"].examples[code].value.error }
}

/** A real error, with its ids replaced by the ids of the documented example. */
const ofExample = (error: object, id: number, xid: string): object =>
  JSON.parse(
    JSON.stringify(error)
      .replace(`"transaction_id":${id},"xid":"${xid}"`, '"transaction_id":1,"xid":"RD-3f2a9c1be07d4a55c1d2e3f4"')
      .replace(`/v1/transacciones/${id}"`, '/v1/transacciones/1"')
  )

layer(TestServer, { excludeTestServices: true })("the documented example of an error after the reservation", (it) => {
  describe.each(reversalForms)("at $form", ({ form, reverse }) => {
    // Identifier of the sale, and the status and code of the response to its reversal.
    it.effect.each([
      ["204593", 422, "TRANSACTION_REJECTED"],
      ["204594", 202, "TRANSACTION_PENDING"]
    ] as const)(
      "documents the error that a reversal of a sale to %s really returns, with status %d",
      ([identifier, status, code]) =>
        Effect.gen(function* () {
          const { auth, id, xid } = yield* sold(identifier)
          const answer = yield* reverse(id, auth)
          assert.strictEqual(answer.status, status)
          const { description, error } = shown(form, status, code)
          assert.deepStrictEqual(ofExample(answer.body.error, id, xid), error)
          assert.include(description, `${code}: ${answer.body.error.message}`)
        })
    )
  })

  // Identifier of the sale, and the status and code of the response to the sale.
  it.effect.each([
    ["8095551231", 422, "TRANSACTION_REJECTED"],
    ["8095551212", 202, "TRANSACTION_PENDING"]
  ] as const)("equals the real error of a sale to %s, with status %d", ([identifier, status, code]) =>
    Effect.gen(function* () {
      const { auth } = yield* customer()
      const answer = yield* sell({ service_id: 1, identifier, amount: 100 }, auth)
      const { transaction_id, xid } = answer.body.error.details
      const { description, error } = shown("/v1/recargas", status, code)
      assert.strictEqual(answer.status, status)
      assert.deepStrictEqual(ofExample(answer.body.error, transaction_id, xid), error)
      assert.include(description, `${code}: ${answer.body.error.message}`)
    })
  )
})
