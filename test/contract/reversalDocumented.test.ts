import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { openApiDocument } from "../../facade/rest/OpenApi.ts"
import { sell } from "../facade/support/Calls.ts"
import { customer } from "./support/Customer.ts"
import { forms, sold } from "./support/Reversing.ts"
import { TestServer } from "./support/Server.ts"

const { paths } = JSON.parse(JSON.stringify(openApiDocument("/")))

/** What the document shows of a code that an endpoint answers. */
const shown = (path: string, status: number, code: string) => {
  const { content, description } = paths[path].post.responses[status]
  return { description, error: content["application/json"].examples[code].value.error }
}

/** An answer's error, as it would be of the sale that the examples show. */
const ofExample = (error: object, id: number, xid: string): object =>
  JSON.parse(
    JSON.stringify(error)
      .replace(`"transaction_id":${id},"xid":"${xid}"`, '"transaction_id":1,"xid":"RD-3f2a9c1be07d4a55c1d2e3f4"')
      .replace(`/v1/transacciones/${id}"`, '/v1/transacciones/1"')
  )

layer(TestServer, { excludeTestServices: true })("what became of the money", (it) => {
  describe.each(forms)("at $form", ({ form, reverse }) => {
    // identifier -> how a reversal is answered
    it.effect.each([
      ["204593", 422, "TRANSACTION_REJECTED"],
      ["204594", 202, "TRANSACTION_PENDING"]
    ] as const)("is documented as it is answered to a reversal of %s, with %d", ([identifier, status, code]) =>
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

  // identifier -> how its sale is answered
  it.effect.each([
    ["8095551231", 422, "TRANSACTION_REJECTED"],
    ["8095551212", 202, "TRANSACTION_PENDING"]
  ] as const)("is documented as it is answered to a sale to %s, with %d", ([identifier, status, code]) =>
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
