import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Tokens } from "../../../core/ports/Tokens.ts"
import { createClient, isSaldoError } from "../../../facade/client/index.ts"
import { inlinedApiDocument } from "../../support/ApiDocument.ts"
import { ServiceAddress } from "../../support/InProcessService.ts"
import { customer } from "../../support/service/CustomerCompany.ts"
import { post, sell } from "../../support/service/HttpCalls.ts"
import { secret } from "../../support/service/InMemoryService.ts"
import { applicationFor, plateEnding } from "../../support/service/InsuranceCalls.ts"
import { TestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

const sale = { service_id: 1, identifier: "8095550003", amount: 20, idempotency_key: "una" }

/** A call that gets 403: the details of the error, and how the call differs from an admitted call. */
interface Refusal {
  readonly details: { readonly motivo: string; readonly permiso?: string }
  readonly caller?: Parameters<typeof customer>[0]
  readonly tokenState?: "suspended" | "revoked"
  readonly body?: object
  readonly insurance?: true
}

/** The refusals of section 5 of the contract, in the same order. */
const refusals: ReadonlyArray<Refusal> = [
  { details: { motivo: "token_suspendido" }, tokenState: "suspended" },
  { details: { motivo: "token_revocado" }, tokenState: "revoked" },
  { details: { motivo: "empresa_sin_api" }, caller: { company: { apiEnabled: false } } },
  { details: { motivo: "empresa_suspendida" }, caller: { company: { state: "suspendida" } } },
  { details: { motivo: "ip_no_autorizada" }, caller: { token: { addresses: ["198.51.100.7"] } } },
  {
    details: { motivo: "permiso_faltante", permiso: "recharges.create" },
    caller: { token: { permissions: ["balance.read", "transactions.reverse"] } }
  },
  { details: { motivo: "empresa_ajena" }, body: { empresa_id: 999_999 } },
  { details: { motivo: "seguros_no_habilitados" }, insurance: true }
]

const message = "El token o la empresa no tiene permiso para esta operación."

layer(TestServer, { excludeTestServices: true })("a call that gets 403 (contract 5)", (it) => {
  it.effect.each(refusals.map((refusal) => [refusal.details, refusal] as const))(
    "states the reason %j over REST and tRPC",
    ([details, { body, caller, insurance, tokenState }]) =>
      Effect.gen(function* () {
        const { apiKey, auth, tokenId } = yield* customer(caller)
        if (tokenState !== undefined) yield* Tokens.use((tokens) => tokens.setState(tokenId, tokenState))
        const application = applicationFor(plateEnding("56"))

        const overRest = insurance ? post("/v1/seguros", application, auth) : sell({ ...sale, ...body }, auth)
        const refused = yield* leavesRowsUnchanged(overRest)
        assert.deepStrictEqual([refused.status, refused.body.error], [403, { code: "FORBIDDEN", message, details }])

        const { url } = yield* ServiceAddress
        const client = createClient({ url, apiKey, apiSecret: secret })
        const overTrpc = () =>
          insurance ? client.seguros.iniciar.mutate(application) : client.recargas.crear.mutate({ ...sale, ...body })
        const failure = yield* Effect.promise(() =>
          overTrpc().then(
            () => assert.fail("the call was admitted"),
            (error) => (isSaldoError(error) ? error : undefined)
          )
        )
        assert.deepStrictEqual(
          [failure?.httpStatus, failure?.code, failure?.message, failure?.details],
          [403, "FORBIDDEN", message, details]
        )
      })
  )

  it("has a reason that the OpenAPI document lists", () => {
    const { FORBIDDEN } = inlinedApiDocument.components.schemas
    const { motivo, permiso } = FORBIDDEN.properties.error.properties.details.properties
    assert.deepStrictEqual(
      motivo.enum,
      // sale/webhooks.test.ts tests this reason.
      [...refusals.map(({ details }) => details.motivo), "sandbox_compartido"]
    )
    assert.include(permiso.enum, "transactions.reverse")
  })
})
