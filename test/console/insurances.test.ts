import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { post } from "../support/service/HttpCalls.ts"
import { applicationFor, insuranceCompany } from "../support/service/InsuranceCalls.ts"
import { ask, WithConsole } from "./ConsoleSales.ts"

describe("insurances in the console", () => {
  layer(WithConsole, { excludeTestServices: true })((it) => {
    it.effect("are listed by state and page by page, with personal data masked", () =>
      Effect.gen(function* () {
        const { auth, companyId } = yield* insuranceCompany()
        const wanted = applicationFor()
        const begun = yield* post("/v1/seguros", wanted, auth)
        yield* post("/v1/seguros", applicationFor(), auth)
        assert.strictEqual(begun.status, 201)
        const { data } = yield* ask("seguros.listar", { empresa_id: String(companyId), per_page: "1" })
        assert.deepStrictEqual(
          [data.items.length, data.estados, data.pagination.total_pages],
          [1, [{ estado: "otp_enviado", seguros: 2 }], 2]
        )
        const { data: older } = yield* ask("seguros.listar", { per_page: "1", page: "2" })
        const [insurance] = older.items
        assert.deepStrictEqual([insurance.placa, insurance.empresa_id], [wanted.placa, companyId])
        const masked = `${wanted.telefono.slice(0, 3)}***${wanted.telefono.slice(-4)}`
        assert.deepStrictEqual([insurance.telefono, insurance.estado], [masked, "otp_enviado"])
        const text = JSON.stringify(older)
        for (const personal of [wanted.cedula, wanted.telefono]) assert.notInclude(text, personal)
        assert.match(insurance.titular, /^(?:\S\*\*\*\s?)+$/)
        const { data: none } = yield* ask("seguros.listar", { estado: "emitida" })
        assert.lengthOf(none.items, 0)
      })
    )

    it.effect.each([
      [{ estado: "lista" }, "VALIDATION_ERROR"],
      [{ empresa_id: "999999" }, "EMPRESA_NO_EXISTE"],
      [{ page: "0" }, "VALIDATION_ERROR"],
      [{ per_page: "201" }, "VALIDATION_ERROR"]
    ] as const)("are not listed with the filter %j", ([filter, expected]) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* ask("seguros.listar", filter)).code, expected)
      })
    )
  })
})
