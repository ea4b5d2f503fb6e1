import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"

const create = (code: string, ...more: ReadonlyArray<string>) =>
  CommandLine.use(({ answer }) =>
    answer(
      "company",
      "create",
      "--razon-social",
      `${code}, S.R.L.`,
      "--codigo",
      code,
      "--ambiente",
      "development",
      ...more
    )
  )

const balanceOf = (company: number) =>
  CommandLine.use(({ answer }) =>
    Effect.map(answer("company", "show", `${company}`), ({ saldo_disponible }) => saldo_disponible)
  )

layer(CommandLine.layer, { excludeTestServices: true })("a company", (it) => {
  it.effect("starts without money and with the default limits of the contract", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* create("NUEVA", "--estado", "vip", "--sin-api", "--seguros")
      const { actualizado_en, ...shown } = yield* answer("company", "show", `${empresa_id}`)
      assert.match(actualizado_en, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
      assert.deepStrictEqual(shown, {
        empresa_id,
        razon_social: "NUEVA, S.R.L.",
        codigo_empresa: "NUEVA",
        ambiente: "development",
        estado: "vip",
        api: false,
        seguros: true,
        eventos: false,
        saldo_actual: 0,
        saldo_disponible: 0,
        saldo_retenido: 0,
        tipo_credito: "prepago",
        alerta_saldo_bajo: 0,
        saldo_bajo: false,
        limites: { diario: 50_000, semanal: 250_000, mensual: 1_000_000 },
        consumo_periodo: { diario: 0, semanal: 0, mensual: 0 },
        moneda: "DOP"
      })
    })
  )

  it.effect("changes only the given settings", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* create("CAMBIA")
      const shown = (...args: ReadonlyArray<string>) =>
        Effect.map(answer("company", ...args), ({ actualizado_en: _, ...company }) => company)
      const before = yield* shown("show", `${empresa_id}`)
      const first = yield* shown("set", `${empresa_id}`, "--limite-diario", "0", "--estado", "suspendida")
      assert.deepStrictEqual(first, { ...before, estado: "suspendida", limites: { ...before.limites, diario: 0 } })
      const second = yield* shown("set", `${empresa_id}`, "--api", "off", "--alerta-saldo-bajo", "99.5")
      assert.deepStrictEqual(second, { ...first, api: false, alerta_saldo_bajo: 99.5, saldo_bajo: true })
      const third = yield* shown("set", `${empresa_id}`, "--eventos", "on")
      assert.deepStrictEqual(third, { ...second, eventos: true })
      assert.deepStrictEqual(yield* shown("set", `${empresa_id}`, "--eventos", "off"), second)
    })
  )

  // Limit as typed -> stored limit in pesos.
  it.effect.each([
    ["0", 0],
    ["000", 0],
    ["0.00", 0],
    ["0.01", 0.01],
    ["00120000.5", 120_000.5],
    ["999999999999.99", 999_999_999_999.99]
  ] as const)("accepts a limit of %s", ([written, limit]) =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* create(`LIMITE-${written}`)
      const { limites } = yield* answer("company", "set", `${empresa_id}`, "--limite-mensual", written)
      assert.deepStrictEqual(limites, { diario: 50_000, semanal: 250_000, mensual: limit })
    })
  )

  it.effect("must have a unique code", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      yield* create("UNICA")
      const { code, details, exit } = yield* refusal(
        ...["company", "create", "--razon-social", "Otra", "--codigo", "UNICA", "--ambiente", "production"]
      )
      assert.deepStrictEqual([exit, code, details], [1, "COMPANY_CODE_TAKEN", { codigo_empresa: "UNICA" }])
    })
  )

  it.effect("has events from the moment when they are turned on", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const sql = yield* PgClient.PgClient
      const { empresa_id } = yield* create("EVENTOS")
      const deposit = (reference: string) =>
        answer("company", "deposit", `${empresa_id}`, "10", "--referencia", `EVENTOS-${reference}`)
      yield* deposit("antes")
      yield* answer("company", "set", `${empresa_id}`, "--alerta-saldo-bajo", "100", "--eventos", "on")
      yield* deposit("durante")
      const { items } = yield* answer("company", "list")
      assert.deepStrictEqual(
        items.flatMap((item: { empresa_id: number; eventos: boolean }) => (item.eventos ? [item.empresa_id] : [])),
        [empresa_id]
      )
      yield* answer("company", "set", `${empresa_id}`, "--eventos", "off")
      yield* deposit("despues")
      const events = yield* sql`select type from cell.event where company_id = ${empresa_id} order by sequence`
      assert.deepStrictEqual(events, [{ type: "balance.deposited" }])
      const audited = yield* sql`
        select details from directory.audit_event
        where company_id = ${empresa_id} and action = 'company_changed'
        order by id`
      assert.deepStrictEqual(audited, [
        { details: { lowBalanceAlert: 10_000, eventsOn: true } },
        { details: { eventsOn: false } }
      ])
    })
  )

  it.effect("is listed in order of id", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const created = [yield* create("LISTA-1"), yield* create("LISTA-2")].map(({ empresa_id }) => empresa_id)
      const { items } = yield* answer("company", "list")
      assert.deepStrictEqual(items.map((item: { empresa_id: number }) => item.empresa_id).slice(-2), created)
    })
  )

  it.effect("has an audit event for every operator command on it", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* create("TRAZA")
      yield* answer("company", "set", `${empresa_id}`, "--api", "off")
      yield* answer("company", "deposit", `${empresa_id}`, "10", "--referencia", "T-1")
      const sql = yield* PgClient.PgClient
      const rows = yield* sql`
        select action from directory.audit_event where company_id = ${empresa_id} order by id`
      assert.deepStrictEqual(
        rows.map(({ action }) => action),
        ["company_created", "company_changed", "deposit_asked", "deposit_recorded"]
      )
    })
  )
})

layer(CommandLine.layer, { excludeTestServices: true })("a deposit", (it) => {
  it.effect("is recorded once when the command is repeated", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* create("DEPOSITO")
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
      const { empresa_id } = yield* create("PEGADO")
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

  // Typed after BANCO-1 -> whether it is the same reference.
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
      const { empresa_id } = yield* create(`GRAFIA-${encodeURIComponent(reference)}`)
      // The reference is unique to this company, so that no other company matters.
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
      const { empresa_id: one } = yield* create("PRIMERA")
      const { empresa_id: other } = yield* create("SEGUNDA")
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
      // The reference is now this company's own, so repeating it needs no confirmation.
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
      const { empresa_id } = yield* create("A-LA-VEZ")
      const deposit = answer("company", "deposit", `${empresa_id}`, "10", "--referencia", "BANCO-2")
      const answers = yield* Effect.all([deposit, deposit, deposit, deposit], { concurrency: "unbounded" })
      assert.strictEqual(answers.filter(({ ya_registrado }) => !ya_registrado).length, 1)
      assert.strictEqual(yield* balanceOf(empresa_id), 10)
    })
  )

  it.effect("is refused when its reference was used with another amount", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { empresa_id } = yield* create("OTRO-MONTO")
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

layer(CommandLine.layer, { excludeTestServices: true })("a command for an unknown company", (it) => {
  it.effect.each([
    "company show 99",
    "company set 99 --api on",
    "company deposit 99 10 --referencia x",
    "token issue 99 --nombre x",
    "token list 99",
    "webhook list 99",
    "catalog list 99",
    "catalog enable 99 1"
  ])("is refused with COMPANY_NOT_FOUND: %s", (line) =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { code, details, exit } = yield* refusal(...line.split(" "))
      assert.deepStrictEqual([exit, code, details], [1, "COMPANY_NOT_FOUND", { empresa_id: 99 }])
    })
  )
})
