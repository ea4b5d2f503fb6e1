import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { sellInEveryState } from "../../support/EveryState.ts"
import { intentOf, replica, unanswered } from "../../support/SalesOnPostgres.ts"

/** A company with a sale in every state. Unsettled sales are old enough for the simulator to know their outcome. */
const company = Effect.fnUntraced(function* (code: string, environment: string) {
  const { answer } = yield* CommandLine
  const named = ["--razon-social", code, "--codigo", code]
  const { empresa_id } = yield* answer("company", "create", ...named, "--ambiente", environment)
  yield* sellInEveryState(empresa_id)
  const sql = yield* PgClient.PgClient
  yield* sql`update cell.transaction set environment = ${environment} where company_id = ${empresa_id}`
  yield* sql`
    update cell.transaction
    set created_at = created_at - interval '1 minute', ask_at = ask_at - interval '5 minutes'
    where status in ('PROCESSING', 'PENDING')`
  yield* sql`update cell.block set earliest = earliest - interval '1 minute' where list = 'sale'`
})

layer(CommandLine.layer, { excludeTestServices: true })("reconcile without a configured provider", (it) => {
  it.effect("fails, names the missing variables and keeps the sales held", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      yield* company("UNA", "production")
      const { code, stdout } = yield* run("reconcile")
      assert.strictEqual(code, 1)
      assert.notMatch(stdout, /Asked about/)
      assert.match(stdout, /^Could not ask about 2.*PROVIDER and INSURER are not set here/)
      const pending = yield* answer("transactions", "list", "--pendientes")
      assert.strictEqual(pending.pagination.total, 2)
      const id = `${pending.items[0].transaction_id}`
      const { historia } = yield* answer("transactions", "show", id)
      const asked = historia.flatMap(({ evento, sobre, veces }: Record<string, unknown>) =>
        sobre === "sale" ? [[evento, veces]] : []
      )
      assert.deepStrictEqual(asked, [["not_asked", 1]])
      const answered = historia.find(({ evento }: Record<string, unknown>) => evento === "answered")
      assert.strictEqual(answered.por, "recovery", "the process died before it could answer")
      assert.match(
        (yield* run("transactions", "show", id)).stdout,
        /a status query about the sale could not be sent, because the provider or insurer accepts no calls/
      )
    })
  )

  it.effect("settles the sales of the simulator and reports the others", () =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      yield* company("OTRA", "development")
      const { code, stdout } = yield* run("reconcile", "--json")
      const { confirmadas, sin_preguntar, variables_ausentes } = JSON.parse(stdout)
      assert.deepStrictEqual([code, confirmadas, sin_preguntar], [0, 2, 2])
      assert.deepStrictEqual(variables_ausentes, ["PROVIDER", "INSURER"])
    })
  )

  it.effect("counts the settled production sales that are due for another status query", () =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      const sql = yield* PgClient.PgClient
      yield* sql`update cell.transaction set processed_at = processed_at - interval '2 hours'`
      const { stdout } = yield* run("reconcile", "--liquidadas", "--json")
      assert.deepStrictEqual(JSON.parse(stdout).liquidadas, { preguntadas: 0, contradichas: 0, sin_preguntar: 2 })
      assert.match((yield* run("reconcile", "--liquidadas")).stdout, /^Asked again about 0 settled sales/m)
    })
  )
})

const companies = Effect.gen(function* () {
  const { answer } = yield* CommandLine
  const create = (code: string) =>
    answer("company", "create", "--razon-social", code, "--codigo", code, "--ambiente", "development")
  const { items } = yield* answer("company", "list")
  if (items.length > 0) return items.map(({ empresa_id }: { empresa_id: number }) => empresa_id)
  const ids = [(yield* create("UNA")).empresa_id, (yield* create("OTRA")).empresa_id]
  yield* Effect.forEach(ids, sellInEveryState)
  return ids
})

const listed = (...flags: ReadonlyArray<string>) =>
  CommandLine.use(({ answer }) => answer("transactions", "list", ...flags))

const field = (name: string, items: ReadonlyArray<Record<string, unknown>>) => items.map((item) => item[name])

layer(CommandLine.layer, { excludeTestServices: true })("the list of transactions", (it) => {
  it.effect("shows all companies, newest first, page by page", () =>
    Effect.gen(function* () {
      yield* companies
      const all = yield* listed()
      const ids = field("transaction_id", all.items)
      assert.deepStrictEqual(all.pagination, { page: 1, per_page: 50, total: 10, total_pages: 1 })
      assert.deepStrictEqual(
        ids,
        [...ids].sort((left, right) => Number(right) - Number(left))
      )
      const third = yield* listed("--page", "3", "--per-page", "4")
      assert.deepStrictEqual(third.pagination, { page: 3, per_page: 4, total: 10, total_pages: 3 })
      assert.deepStrictEqual(field("transaction_id", third.items), ids.slice(8))
    })
  )

  // Flags -> states that remain in the list of each company.
  it.effect.each([
    [["--status", "SUCCESS"], ["SUCCESS"]],
    [["--status", "REVERSED"], ["REVERSED"]],
    [["--pendientes"], ["PENDING", "PROCESSING"]]
  ] as const)("is filtered by %s", ([flags, states]) =>
    Effect.gen(function* () {
      const [company] = yield* companies
      const { items } = yield* listed(...flags, "--empresa", `${company}`)
      assert.deepStrictEqual(new Set(field("status", items)), new Set<unknown>(states))
      assert.deepStrictEqual(new Set(field("empresa_id", items)), new Set([company]))
      const ofAllCompanies = yield* listed(...flags)
      assert.strictEqual(ofAllCompanies.pagination.total, states.length * 2)
    })
  )

  // Order flags -> order of the company's two unsettled sales, of 4 and 2 pesos.
  it.effect.each([
    [[], [2, 4]],
    [
      ["--orden", "edad"],
      [2, 4]
    ],
    [
      ["--orden", "monto"],
      [4, 2]
    ]
  ] as const)("sorts unsettled sales with the flags %s and sums the money that they hold", ([flags, amounts]) =>
    Effect.gen(function* () {
      const [company] = yield* companies
      const { items, pagination, retenido } = yield* listed("--pendientes", "--empresa", `${company}`, ...flags)
      assert.deepStrictEqual(field("amount", items), [...amounts])
      assert.deepStrictEqual([retenido, pagination.total], [6, 2])
      for (const item of items) assert.isAtLeast(item.edad_segundos, 0)
    })
  )

  it.effect("rejects --orden for settled sales", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { exit, message } = yield* refusal("transactions", "list", "--orden", "monto")
      assert.strictEqual(exit, 2)
      assert.match(message, /--pendientes/)
    })
  )

  it.effect("agrees with the single transaction shown by its id", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const [, company] = yield* companies
      const { items } = yield* listed("--empresa", `${company}`, "--status", "SUCCESS")
      const [sale] = items
      const { acciones, historia, ...shown } = yield* answer("transactions", "show", `${sale.transaction_id}`)
      assert.deepStrictEqual(shown, sale)
      assert.deepStrictEqual(acciones, [
        { accion: "nothing", motivo: "SUCCESS", permitida: true },
        { accion: "ask", sobre: "sale", permitida: true }
      ])
      assert.deepStrictEqual(field("evento", historia), ["reserved", "settled", "entered", "answered"])
      assert.deepStrictEqual(
        { ...sale, transaction_id: null, created_at: null, processed_at: null },
        {
          transaction_id: null,
          empresa_id: company,
          xid: `RD-${company}-delivered`,
          status: "SUCCESS",
          service: { id: 1, nombre: "Recarga" },
          identifier: "8095550123",
          amount: 1,
          currency: "DOP",
          auth_code: "SBX1",
          reference: `RD-${company}-delivered`,
          terminal_id: null,
          message: "Operación exitosa.",
          created_at: null,
          processed_at: null,
          anulacion: null
        }
      )
      assert.match(sale.created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
      const { code, details, exit } = yield* refusal("transactions", "show", "999999")
      assert.deepStrictEqual([exit, code, details], [1, "TRANSACTION_NOT_FOUND", { transaction_id: 999_999 }])
    })
  )

  /** Report of a reconcile cycle that found no unsettled sale. */
  const nothing = {
    confirmadas: 0,
    devueltas: 0,
    anuladas: 0,
    anulaciones_negadas: 0,
    sin_resolver: 0,
    sin_preguntar: 0,
    variables_ausentes: []
  }

  it.effect("has no unsettled sales after reconcile, and the audit finds no violation", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      yield* companies
      const sql = yield* PgClient.PgClient
      // The simulator knows the outcome of a sale only after this time.
      yield* sql`
        update cell.transaction
        set created_at = created_at - interval '1 minute', ask_at = ask_at - interval '5 minutes'
        where status in ('PROCESSING', 'PENDING')`
      yield* sql`update cell.block set earliest = earliest - interval '1 minute' where list = 'sale'`
      assert.deepStrictEqual(yield* answer("reconcile"), { ...nothing, confirmadas: 4 })
      assert.strictEqual((yield* listed("--pendientes")).pagination.total, 0)
      assert.isTrue((yield* answer("audit")).ok)
      assert.deepStrictEqual(yield* answer("reconcile"), nothing)
    })
  )
})

layer(CommandLine.layer, { excludeTestServices: true })("unsettled reversals", (it) => {
  const sold = Effect.gen(function* () {
    const [company, other] = yield* companies
    const ledger = yield* replica
    const sale = yield* unanswered(ledger, intentOf(company, "taken-back", 1_000), "reversal-1")
    yield* unanswered(ledger, intentOf(other, "taken-back", 1_000), "reversal-2")
    return { company, id: sale.transactionId }
  }).pipe(Effect.scoped)

  it.effect("are listed with the unsettled sales and hold no money", () =>
    Effect.gen(function* () {
      const { company, id } = yield* sold
      const ofBoth = yield* listed("--pendientes")
      assert.deepStrictEqual([ofBoth.pagination.total, ofBoth.anulaciones, ofBoth.retenido], [6, 2, 12])
      const { items, pagination, ...sums } = yield* listed("--pendientes", "--empresa", `${company}`)
      const sum = { anulaciones: 1, retenido: 6 }
      const band = { ambiente: "development", suplidor: "proveedor", desde_segundos: 0, ventas: 2, ...sum }
      assert.deepStrictEqual([pagination.total, sums], [3, { ...sum, ilegibles: [], por_edad: [band] }])
      assert.deepStrictEqual(field("status", items), ["PROCESSING", "PENDING", "SUCCESS"])
      const [, , reversed] = items
      assert.strictEqual(reversed.transaction_id, id)
      const { created_at, ...anulacion } = reversed.anulacion
      assert.deepStrictEqual(anulacion, { xid: `RV-${company}-reversal-1`, status: "PENDING" })
      assert.match(created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
      assert.deepStrictEqual(field("anulacion", items.slice(0, 2)), [null, null])
      const byAmount = yield* listed("--pendientes", "--orden", "monto", "--per-page", "4")
      assert.deepStrictEqual(field("amount", byAmount.items), [4, 4, 2, 2])
      const rest = yield* listed("--pendientes", "--orden", "monto", "--per-page", "4", "--page", "2")
      assert.deepStrictEqual(field("amount", rest.items), [10, 10])
      const { run } = yield* CommandLine
      const { stdout } = yield* run("transactions", "list", "--pendientes", "--empresa", `${company}`)
      assert.include(stdout, "3 in all. Held: 6 pesos. Reversals included: 1 (they hold no money).")
      const ended = yield* listed("--status", "SUCCESS", "--empresa", `${company}`)
      assert.deepStrictEqual(ended.items[0].anulacion, {
        status: "PENDING",
        solicitada_en: created_at,
        resuelta_en: null
      })
    })
  )
})
