import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { createCompany } from "../support/NewCompany.ts"

const balanceOf = (company: number) =>
  CommandLine.use(({ answer }) =>
    Effect.map(answer("company", "show", `${company}`), ({ saldo_disponible }) => saldo_disponible)
  )

layer(CommandLine.layer, { excludeTestServices: true })("a deposit", (it) => {
  it.effect("is recorded once when the command is repeated", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* createCompany("DEPOSITO")
      const deposit = answer("company", "deposit", `${empresa_id}`, "1500.50", "--referencia", "BANCO-1")
      const first = yield* deposit
      assert.deepStrictEqual(first, {
        empresa_id,
        movimiento_id: first.movimiento_id,
        monto: 1500.5,
        referencia: "BANCO-1",
        ya_registrado: false,
        saldo_disponible: 1500.5
      })
      assert.deepStrictEqual(yield* deposit, { ...first, ya_registrado: true })
      const sql = yield* PgClient.PgClient
      const audited = yield* sql<{ action: string; entry: number }>`
        select action, (details ->> 'entryId')::int as entry
        from directory.audit_event
        where company_id = ${empresa_id} and action like 'deposit%'
        order by id`
      assert.deepStrictEqual(
        audited.map(({ action }) => action),
        ["deposit_asked", "deposit_recorded", "deposit_asked", "deposit_repeated"]
      )
      assert.strictEqual(audited[1]?.entry, audited[3]?.entry)
    })
  )

  it.effect("is recorded once when its reference is typed in different Unicode spellings", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* createCompany("PEGADO")
      const spellings = [
        "Depósito 88",
        " Depósito 88 ",
        "Depo\u0301sito 88",
        "Depósito\u00a0 88",
        "Depósito\u200b 88",
        "\u202aDepósito 88\u202c",
        "Depósito \uff18\uff18"
      ]
      const answers = yield* Effect.forEach(spellings, (reference) =>
        answer("company", "deposit", `${empresa_id}`, "10", "--referencia", reference)
      )
      assert.deepStrictEqual(
        answers.map(({ referencia, ya_registrado }) => [referencia, ya_registrado]),
        spellings.map((_, nth) => ["Depósito 88", nth > 0])
      )
      assert.strictEqual(yield* balanceOf(empresa_id), 10)
    })
  )

  // Reference typed after BANCO-1 -> whether it counts as the same reference.
  it.effect.each([
    ["BANCO\u20101", true],
    ["BANCO\u20131", true],
    ["BANCO\u22121", true],
    ["BANCO-1\u2800", true],
    ["banco-1", true],
    ["BANCO-1\u3164", true],
    ["BAN\u200bCO-1", true],
    ["BANCO 1", false],
    ["BANCO1", false]
  ] as const)("with the reference %j after BANCO-1 is a repetition: %s", ([reference, repeated]) =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* createCompany(`GRAFIA-${encodeURIComponent(reference)}`)
      // The reference contains the company id, so that it differs from the references of the other companies.
      const deposit = (typed: string) =>
        answer("company", "deposit", `${empresa_id}`, "10", "--referencia", `${empresa_id}:${typed}`)
      const first = yield* deposit("BANCO-1")
      const second = yield* deposit(reference)
      assert.deepStrictEqual(
        [second.ya_registrado, second.movimiento_id === first.movimiento_id, yield* balanceOf(empresa_id)],
        [repeated, repeated, repeated ? 10 : 20]
      )
    })
  )

  it.effect("needs --repetida if a deposit of another company has the same reference", () =>
    Effect.gen(function* () {
      const { answer, refusal, run } = yield* CommandLine
      const { empresa_id: one } = yield* createCompany("PRIMERA")
      const { empresa_id: other } = yield* createCompany("SEGUNDA")
      const deposit = (company: number, reference: string, ...more: ReadonlyArray<string>) =>
        ["company", "deposit", `${company}`, "10", "--referencia", reference, ...more] as const
      yield* answer(...deposit(one, "TRANSFERENCIA-7"))
      const before = yield* answer("company", "show", `${other}`)
      const refused = yield* refusal(...deposit(other, "transferencia\u20137"))
      assert.deepStrictEqual(
        [refused.exit, refused.code, refused.details],
        [2, "REFERENCE_AT_OTHER_COMPANY", { referencia: "transferencia-7", otra_empresa_id: one }]
      )
      const { code, stderr } = yield* run(...deposit(other, "TRANSFERENCIA-7"))
      assert.strictEqual(code, 2)
      assert.match(
        stderr,
        /^error: A deposit of company \d+ has the reference TRANSFERENCIA-7\. Nothing was added\..*--repetida/
      )
      const { actualizado_en: _, ...shown } = before
      const { actualizado_en: __, ...still } = yield* answer("company", "show", `${other}`)
      assert.deepStrictEqual(still, shown)
      const confirmed = yield* answer(...deposit(other, "TRANSFERENCIA-7", "--repetida"))
      assert.isFalse(confirmed.ya_registrado)
      // The reference now also belongs to a deposit of this company, so a retry needs no confirmation.
      const again = yield* answer(...deposit(other, "Transferencia-7"))
      assert.deepStrictEqual([again.ya_registrado, again.movimiento_id], [true, confirmed.movimiento_id])
      assert.deepStrictEqual([yield* balanceOf(one), yield* balanceOf(other)], [10, 10])
    })
  )

  it.effect.each(["\u200b", "\u2800", "\u3164\u2800", "\u00ad \u2060", "x".repeat(201), "\ufdfa".repeat(20)])(
    "is rejected as wrong usage with the unreadable reference %j",
    (reference) =>
      Effect.gen(function* () {
        const { run } = yield* CommandLine
        const { code, stderr } = yield* run("company", "deposit", "1", "10", "--referencia", reference)
        assert.strictEqual(code, 2)
        assert.include(stderr, "1 to 200 characters")
      })
  )

  it.effect("is recorded once when several processes send it concurrently", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* createCompany("A-LA-VEZ")
      const deposit = answer("company", "deposit", `${empresa_id}`, "10", "--referencia", "BANCO-2")
      const answers = yield* Effect.all([deposit, deposit, deposit, deposit], { concurrency: "unbounded" })
      assert.strictEqual(answers.filter(({ ya_registrado }) => !ya_registrado).length, 1)
      assert.strictEqual(yield* balanceOf(empresa_id), 10)
    })
  )

  it.effect("is refused when its reference was used with another amount", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { empresa_id } = yield* createCompany("OTRO-MONTO")
      yield* answer("company", "deposit", `${empresa_id}`, "10", "--referencia", "BANCO-3")
      const { code, details, exit } = yield* refusal(
        "company",
        "deposit",
        `${empresa_id}`,
        "11",
        "--referencia",
        "BANCO-3"
      )
      assert.deepStrictEqual(
        [exit, code, details],
        [1, "REFERENCE_TAKEN", { referencia: "BANCO-3", monto_registrado: 10, monto: 11 }]
      )
      assert.strictEqual(yield* balanceOf(empresa_id), 10)
    })
  )
})
