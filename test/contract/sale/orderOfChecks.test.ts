import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ServiceId } from "../../../core/domain/Ids.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import { CatalogueAdmin } from "../../../core/ports/Catalogue.ts"
import { eventually } from "../../support/Eventually.ts"
import { customer, newToken } from "../../support/service/CustomerCompany.ts"
import { get, post, sell } from "../../support/service/HttpCalls.ts"
import { SpreadTestServer } from "../../support/service/TestServer.ts"
import { leavesRowsUnchanged } from "../../support/service/UnchangedRows.ts"

const sale = { service_id: 1, identifier: "8095550003", amount: 100 }

/** A service that takes any amount. */
const anyAmount = 8

layer(SpreadTestServer, { excludeTestServices: true })("the checks of a sale (contract 4.5)", (it) => {
  it.effect(
    "run in this order: credentials, permission, JSON, company, fields, key, product, amount, limits, balance",
    () =>
      Effect.gen(function* () {
        const { auth, companyId } = yield* customer({ money: 0, limits: { daily: Centavos.make(1_000) } })
        const reader = yield* newToken(companyId, { permissions: ["balance.read"] })
        const everythingWrong = { service_id: 99, identifier: "x", amount: "x", empresa_id: companyId + 1 }
        const shapeless = { ...everythingWrong, empresa_id: companyId }
        const keyless = { ...sale, service_id: 99 }
        const codes: Array<unknown> = []
        const told = (headers: Record<string, string>, body: unknown) =>
          Effect.map(leavesRowsUnchanged(post("/v1/recargas", body, headers)), ({ body: { error } }) => {
            codes.push(error.code === "VALIDATION_ERROR" ? error.details : error.code)
          })
        const key = { "idempotency-key": randomUUID() }
        yield* told({ authorization: "Bearer no.es" }, "{")
        yield* told(reader.auth, "{")
        yield* told(auth, "{")
        yield* told(auth, everythingWrong)
        yield* told(auth, shapeless)
        yield* told(auth, keyless)
        yield* told({ ...auth, ...key }, keyless)
        yield* told({ ...auth, ...key }, { ...sale, amount: 1 })
        yield* told({ ...auth, ...key }, sale)
        yield* told({ ...auth, ...key }, { ...sale, service_id: anyAmount, amount: 10 })
        assert.deepStrictEqual(codes, [
          "UNAUTHENTICATED",
          "FORBIDDEN",
          { body: "json_invalido" },
          "FORBIDDEN",
          { identifier: "longitud", amount: "invalido" },
          { "Idempotency-Key": "requerido" },
          "INVALID_PRODUCT",
          { amount: "fuera_de_rango", monto_minimo: 20, monto_maximo: 5000 },
          "LIMIT_EXCEEDED",
          "INSUFFICIENT_BALANCE"
        ])
      })
  )

  it.effect("look up the key before the service, so that a replay succeeds after the service is withdrawn", () =>
    Effect.gen(function* () {
      const { auth, companyId } = yield* customer()
      const headers = { ...auth, "idempotency-key": randomUUID() }
      const first = yield* sell(sale, headers)
      const withdraw = CatalogueAdmin.use((catalogue) => catalogue.setEnabled(companyId, ServiceId.make(1), false))
      yield* withdraw
      yield* eventually(get("/v1/servicios", auth), ({ body }) => body.data[0].id !== 1)
      assert.strictEqual((yield* leavesRowsUnchanged(sell(sale, auth))).body.error.code, "INVALID_PRODUCT")
      const replay = yield* leavesRowsUnchanged(sell(sale, headers))
      assert.deepStrictEqual([replay.status, replay.body.data], [201, first.body.data])
      const other = yield* leavesRowsUnchanged(sell({ ...sale, amount: 7 }, headers))
      assert.deepStrictEqual(other.body.error.details, { "Idempotency-Key": "clave_reutilizada" })
    })
  )
})
