import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { sellInEveryState } from "../../support/EveryState.ts"
import { createCompany } from "../support/NewCompany.ts"

const field = (name: string, items: ReadonlyArray<Record<string, unknown>>) => items.map((item) => item[name])

/** A company with a deposit of 100 pesos and a sale in every state. */
const soldCompany = Effect.fnUntraced(function* (code: string) {
  const { empresa_id } = yield* createCompany(code)
  yield* sellInEveryState(empresa_id)
  return `${empresa_id}`
})

layer(CommandLine.layer, { excludeTestServices: true })("the accounts of companies", (it) => {
  it.effect("are listed with balance and today's consumption, and searched by name, code and id", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const company = yield* soldCompany("COLMADO-ÁNGEL")
      yield* createCompany("VACÍA", "--estado", "suspendida")
      yield* answer("company", "set", company, "--alerta-saldo-bajo", "93")
      const found = (...flags: ReadonlyArray<string>) =>
        Effect.map(answer("company", "list", ...flags), ({ items }) => field("codigo_empresa", items))
      // Of 100 pesos, one is charged and six are held. The amounts of the reversed and the refused sale were returned.
      const [listed] = (yield* answer("company", "list", "--buscar", "angel")).items
      const { consumo_hoy, saldo_bajo, saldo_disponible, saldo_retenido } = listed
      assert.deepStrictEqual([saldo_disponible, saldo_retenido, consumo_hoy, saldo_bajo], [93, 6, 7, false])
      assert.deepStrictEqual(yield* found(), ["COLMADO-ÁNGEL", "VACÍA"])
      assert.deepStrictEqual(yield* found("--estado", "suspendida"), ["VACÍA"])
      assert.deepStrictEqual(yield* found("--buscar", company), ["COLMADO-ÁNGEL"])
      assert.deepStrictEqual(yield* found("--buscar", "nadie"), [])
      assert.include((yield* run("company", "list", "--buscar", "nadie")).stdout, "No such companies.")
    })
  )

  it.effect("have a statement with the balance after each entry, as pages and as CSV", () =>
    Effect.gen(function* () {
      const { answer, refusal, run } = yield* CommandLine
      const company = yield* soldCompany("EXTRACTO")
      const { items, pagination } = yield* answer("company", "statement", company)
      assert.deepStrictEqual(
        items.map(({ monto, saldo, tipo }: Record<string, unknown>) => [tipo, monto, saldo]),
        [
          ["reversal", 2, 99],
          ["sale", -2, 97],
          ["sale", -1, 99],
          ["deposit", 100, 100]
        ]
      )
      assert.strictEqual(pagination.total, 4)
      const second = yield* answer("company", "statement", company, "--page", "2", "--per-page", "3")
      assert.deepStrictEqual(second.items, items.slice(3))

      const { stdout } = yield* run("company", "statement", company, "--csv")
      const [header, ...rows] = `${stdout}\n`.split("\r\n")
      assert.strictEqual(header, "\uFEFFmovimiento_id,tipo,monto,saldo,transaction_id,referencia,fecha")
      assert.deepStrictEqual(
        rows.slice(0, -1).map((row) => row.split(",")[3]),
        ["99", "97", "99", "100"]
      )
      assert.deepStrictEqual((yield* answer("company", "statement", company, "--hasta", "2020-01-31")).items, [])
      assert.strictEqual((yield* refusal("company", "statement", "9999")).code, "COMPANY_NOT_FOUND")
      const days = ["--desde", "2026-02-01", "--hasta", "2026-01-01"]
      assert.match((yield* refusal("company", "statement", company, ...days)).message, /--hasta is before --desde/)
    })
  )
})
