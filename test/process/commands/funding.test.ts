import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { ana, auditOf, beto, booksOf, carla, correctionOf, depositOf } from "../support/FundingCommands.ts"
import { createCompany } from "../support/NewCompany.ts"

layer(CommandLine.layer, { excludeTestServices: true })("a correction of a balance", (it) => {
  it.effect("takes a wrong deposit back once two operators have agreed", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { empresa_id } = yield* createCompany("CORRECCION")
      yield* answer(...depositOf(empresa_id, "1500", "BANCO-9"), ana)
      const proposed = yield* answer(...correctionOf(empresa_id, "-1500", "BANCO-9-R"), ana)
      assert.include(proposed, {
        empresa_id,
        tipo: "ajuste",
        monto: -1500,
        referencia: "BANCO-9-R",
        motivo: "Transfer of another company",
        estado: "pendiente",
        propuesta_por: "Ana",
        ya_registrada: false
      })
      const number = `${proposed.propuesta}`
      assert.strictEqual((yield* booksOf(empresa_id)).available, 1500)
      const own = yield* refusal("company", "confirm", number, ana)
      assert.deepStrictEqual([own.exit, own.code, own.details.motivo], [1, "PROPOSAL_NOT_DECIDABLE", "same_operator"])
      // Without an account, nothing shows that another person confirms.
      const shell = yield* refusal("company", "confirm", number)
      assert.deepStrictEqual([shell.code, shell.details.motivo], ["PROPOSAL_NOT_DECIDABLE", "no_account"])
      const confirmed = yield* answer("company", "confirm", number, beto)
      assert.include(confirmed, {
        estado: "confirmada",
        decidida_por: "Beto",
        ya_registrado: false,
        saldo_disponible: 0
      })
      assert.deepStrictEqual(yield* booksOf(empresa_id), {
        available: 0,
        entries: [
          ["deposit", 1500, "BANCO-9"],
          ["adjustment", -1500, "BANCO-9-R"]
        ]
      })
      const audited = yield* auditOf(empresa_id)
      assert.deepStrictEqual(
        audited.map(({ action, actor }) => [action, actor]),
        [
          ["funding_proposed", "Ana"],
          ["funding_confirmed", "Beto"]
        ]
      )
      assert.deepInclude(audited[1]?.details, {
        proposedBy: "Ana",
        amount: -150_000,
        before: { owned: 150_000 },
        after: { owned: 0 }
      })
      assert.isTrue((yield* answer("audit")).ok)
    })
  )

  it.effect("is refused if it takes more than the available amount, when it is proposed and when it is confirmed", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { empresa_id } = yield* createCompany("DE-MAS")
      yield* answer(...depositOf(empresa_id, "100", "BANCO-10"), ana)
      const early = yield* refusal(...correctionOf(empresa_id, "-100.01", "C-1"), ana)
      assert.deepStrictEqual(
        [early.code, early.details],
        ["ADJUSTMENT_TOO_LARGE", { saldo_disponible: 100, monto: -100.01 }]
      )
      const { propuesta: one } = yield* answer(...correctionOf(empresa_id, "-100", "C-2"), ana)
      const { propuesta: other } = yield* answer(...correctionOf(empresa_id, "-60", "C-3"), ana)
      yield* answer("company", "confirm", `${other}`, beto)
      const late = yield* refusal("company", "confirm", `${one}`, beto)
      assert.deepStrictEqual([late.code, late.details], ["ADJUSTMENT_TOO_LARGE", { saldo_disponible: 40, monto: -100 }])
      assert.strictEqual((yield* booksOf(empresa_id)).available, 40)
    })
  )

  it.effect("is made once for each reference, in any spelling, and is refused with another amount", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { empresa_id } = yield* createCompany("UNA-VEZ")
      const first = yield* answer(...correctionOf(empresa_id, "50", "Nota-1"), ana)
      const again = yield* answer(...correctionOf(empresa_id, "50", "NOTA\u20131"), carla)
      assert.deepStrictEqual(
        [again.propuesta, again.ya_registrada, again.propuesta_por],
        [first.propuesta, true, "Ana"]
      )
      const other = yield* refusal(...correctionOf(empresa_id, "51", "nota-1"), ana)
      assert.deepStrictEqual(
        [other.code, other.details],
        ["REFERENCE_PROPOSED", { referencia: "nota-1", propuesta: first.propuesta, monto_propuesto: 50, monto: 51 }]
      )
      yield* answer("company", "confirm", `${first.propuesta}`, beto)
      const recorded = yield* answer(...correctionOf(empresa_id, "50", "nota-1"), ana)
      assert.deepInclude(recorded, { ya_registrado: true, monto: 50, saldo_disponible: 50 })
      const taken = yield* refusal(...correctionOf(empresa_id, "-50", "nota-1"), ana)
      assert.deepStrictEqual(
        [taken.code, taken.details],
        ["REFERENCE_TAKEN", { referencia: "nota-1", monto_registrado: 50, monto: -50 }]
      )
      assert.strictEqual((yield* booksOf(empresa_id)).available, 50)
    })
  )

  it.effect.each(["0", "-0", "1.005", "--1", "1e3", "abc", "-", "99999999999999"])(
    "is rejected as wrong usage with the amount %s",
    (pesos) =>
      Effect.gen(function* () {
        const { run } = yield* CommandLine
        const { code, stderr } = yield* run(...correctionOf(1, pesos, "C"))
        assert.strictEqual(code, 2, stderr)
      })
  )

  it.effect.each([
    ["adjust", ["999999", "5", "--referencia", "x", "--motivo", "y"]],
    ["proposals", ["999999"]]
  ] as const)("is refused for a company that does not exist: %s", ([command, args]) =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      assert.strictEqual((yield* refusal("company", command, ...args, ana)).code, "COMPANY_NOT_FOUND")
    })
  )
})

layer(CommandLine.layer, { excludeTestServices: true })("a deposit above DEPOSIT_CONFIRM_ABOVE", (it) => {
  it.effect("needs a second operator, and a third operator learns who has confirmed it", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { empresa_id } = yield* createCompany("GRANDE")
      const recorded = yield* answer(...depositOf(empresa_id, "1000000", "BANCO-20"), ana)
      assert.isFalse(recorded.ya_registrado)
      const { propuesta } = yield* answer(...depositOf(empresa_id, "1000000.01", "BANCO-21"), ana)
      const number = `${propuesta}`
      assert.strictEqual((yield* booksOf(empresa_id)).available, 1_000_000)
      const first = yield* answer("company", "confirm", number, beto)
      // The operator who confirmed the proposal may repeat the command.
      const repeated = yield* answer("company", "confirm", number, beto)
      assert.deepStrictEqual([repeated.ya_registrado, repeated.movimiento_id], [true, first.movimiento_id])
      const { code, details, message } = yield* refusal("company", "confirm", number, carla)
      assert.deepStrictEqual(
        [code, details.motivo, details.decidida_por],
        ["PROPOSAL_NOT_DECIDABLE", "confirmed", "Beto"]
      )
      assert.include(message, `Beto decided at ${details.decidida_en}.`)
      assert.strictEqual((yield* booksOf(empresa_id)).available, 2_000_000.01)
      // A repeated deposit command returns the existing entry.
      const again = yield* answer(...depositOf(empresa_id, "1000000.01", "banco-21"), ana)
      assert.deepStrictEqual([again.ya_registrado, again.movimiento_id], [true, first.movimiento_id])
    })
  )

  it.effect("needs --repetida if a deposit of another company has the reference", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { empresa_id: one } = yield* createCompany("GRANDE-UNO")
      const { empresa_id: other } = yield* createCompany("GRANDE-OTRA")
      yield* answer(...depositOf(one, "10", "BANCO-30"), ana)
      const refused = yield* refusal(...depositOf(other, "2000000", "banco-30"), ana)
      assert.deepStrictEqual([refused.exit, refused.code], [2, "REFERENCE_AT_OTHER_COMPANY"])
      const { propuesta } = yield* answer(...depositOf(other, "2000000", "banco-30"), "--repetida", ana)
      yield* answer("company", "confirm", `${propuesta}`, beto)
      assert.strictEqual((yield* booksOf(other)).available, 2_000_000)
    })
  )

  it.effect("is not added if its reference was used after the proposal", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { empresa_id } = yield* createCompany("GRANDE-USADA")
      const { propuesta } = yield* answer(...depositOf(empresa_id, "2000000", "BANCO-40"), ana)
      yield* answer(...depositOf(empresa_id, "20", "BANCO-40"), ana)
      const { code, details } = yield* refusal("company", "confirm", `${propuesta}`, beto)
      assert.deepStrictEqual([code, details.motivo], ["PROPOSAL_NOT_DECIDABLE", "reference_used"])
      assert.strictEqual((yield* booksOf(empresa_id)).available, 20)
    })
  )
})
