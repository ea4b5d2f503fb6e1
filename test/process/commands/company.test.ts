import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { createCompany } from "../support/NewCompany.ts"

layer(CommandLine.layer, { excludeTestServices: true })("a company", (it) => {
  it.effect("starts without money and with the default limits of the contract", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* createCompany("NUEVA", "--estado", "vip", "--sin-api", "--seguros")
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
        celda: "cell",
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

  it.effect("has only the given settings changed", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* createCompany("CAMBIA")
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

  it.effect("gets a corrected legal name and RNC, and the audit log keeps the earlier values", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* createCompany("CORREGIDA")
      const named = ["--razon-social", "Corregida, S.R.L.", "--rnc", "1-01-85004-3"]
      const changed = yield* answer("company", "set", `${empresa_id}`, ...named)
      assert.deepStrictEqual([changed.razon_social, changed.rnc], ["Corregida, S.R.L.", "101850043"])
      yield* answer("company", "set", `${empresa_id}`, "--rnc", "131246796", "--estado", "vip")
      const { items } = yield* answer("company", "list")
      const listed = items.find((item: { empresa_id: number }) => item.empresa_id === empresa_id)
      assert.deepInclude(listed, { razon_social: "Corregida, S.R.L.", rnc: "131246796", estado: "vip" })
      const sql = yield* PgClient.PgClient
      const audited = yield* sql`
        select details
        from directory.audit_event
        where company_id = ${empresa_id} and action = 'company_changed'
        order by id`
      assert.deepStrictEqual(audited, [
        {
          details: {
            before: { legalName: "CORREGIDA, S.R.L.", rnc: null },
            after: { legalName: "Corregida, S.R.L.", rnc: "101850043" }
          }
        },
        { details: { before: { rnc: "101850043", state: "activa" }, after: { rnc: "131246796", state: "vip" } } }
      ])
    })
  )

  it.effect("can be created with an RNC", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* createCompany("CON-RNC", "--rnc", "00113918205")
      assert.strictEqual((yield* answer("company", "show", `${empresa_id}`)).rnc, "00113918205")
    })
  )

  it.effect.each([
    ["--rnc", "101850042"],
    ["--rnc", "12345"],
    ["--razon-social", " \u2800"],
    ["--razon-social", "x".repeat(201)]
  ] as const)("is not changed to %s %s", (flag) =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { empresa_id } = yield* createCompany(`MAL-${flag[1].length}-${flag[0]}`)
      const before = yield* answer("company", "show", `${empresa_id}`)
      const { exit, message } = yield* refusal("company", "set", `${empresa_id}`, ...flag)
      assert.strictEqual(exit, 2)
      assert.include(message, flag[0])
      assert.deepStrictEqual((yield* answer("company", "show", `${empresa_id}`)).razon_social, before.razon_social)
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
      const { empresa_id } = yield* createCompany(`LIMITE-${written}`)
      const { limites } = yield* answer("company", "set", `${empresa_id}`, "--limite-mensual", written)
      assert.deepStrictEqual(limites, { diario: 50_000, semanal: 250_000, mensual: limit })
    })
  )

  it.effect("must have a unique code", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      yield* createCompany("UNICA")
      const { code, details, exit } = yield* refusal(
        ...["company", "create", "--razon-social", "Otra", "--codigo", "UNICA", "--ambiente", "production"]
      )
      assert.deepStrictEqual([exit, code, details], [1, "COMPANY_CODE_TAKEN", { codigo_empresa: "UNICA" }])
    })
  )

  it.effect("has events only after they are turned on", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const sql = yield* PgClient.PgClient
      const { empresa_id } = yield* createCompany("EVENTOS")
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
        {
          details: {
            before: { lowBalanceAlert: 0, eventsOn: false },
            after: { lowBalanceAlert: 10_000, eventsOn: true }
          }
        },
        { details: { before: { eventsOn: true }, after: { eventsOn: false } } }
      ])
    })
  )

  it.effect("is listed in order of id", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const created = [yield* createCompany("LISTA-1"), yield* createCompany("LISTA-2")].map(
        ({ empresa_id }) => empresa_id
      )
      const { items } = yield* answer("company", "list")
      assert.deepStrictEqual(items.map((item: { empresa_id: number }) => item.empresa_id).slice(-2), created)
    })
  )

  it.effect("has an audit event for every operator command on it", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* createCompany("TRAZA")
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
