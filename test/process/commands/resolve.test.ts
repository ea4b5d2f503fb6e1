import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { CompanyId, Identifier } from "../../../core/domain/Ids.ts"
import { Verdict } from "../../../core/domain/Sale.ts"
import type { ServiceType } from "../../../core/domain/Service.ts"
import { CommandLine } from "../../support/CommandLine.ts"
import { intentOf, opened, replica, reservedOrder } from "../../support/SalesOnPostgres.ts"

/**
 * A company with one sale of one peso, pending for twenty minutes, whose identifier tells the simulator what to say.
 */
const stuck = Effect.fnUntraced(function* (code: string, identifier: string, type: ServiceType = "mobile_recharge") {
  const { answer } = yield* CommandLine
  const created = yield* answer(
    "company",
    "create",
    "--razon-social",
    code,
    "--codigo",
    code,
    "--ambiente",
    "development"
  )
  const company = CompanyId.make(created.empresa_id)
  const ledger = yield* replica
  yield* opened(ledger, company, 10_000)
  const sale = intentOf(company, "stuck", 100)
  // As Idempotency.ts makes them: the simulator makes its codes of the hex digits.
  const xid = `RD-${company.toString(16).padStart(24, "0")}`
  const intent = { ...sale, xid, identifier: Identifier.make(identifier), service: { ...sale.service, type } }
  const order = yield* reservedOrder(ledger, intent)
  yield* ledger.settle({ order, verdict: Verdict.Hold(), at: yield* DateTime.now, notFound: 0 })
  const sql = yield* PgClient.PgClient
  yield* sql`
    update cell.transaction
    set created_at = created_at - interval '20 minutes'
    where company_id = ${company}`
  return { company, id: String(order.transactionId) }
}, Effect.scoped)

const balanceOf = Effect.fnUntraced(function* (company: number) {
  const { answer } = yield* CommandLine
  const { saldo_disponible, saldo_retenido } = yield* answer("company", "show", `${company}`)
  return [saldo_disponible, saldo_retenido]
})

const failed = ["--as", "failed", "--motivo", "Not in the statement"]
const success = ["--as", "success", "--motivo", "In the statement", "--autorizacion", "OP-77"]
const first = ["--operador", "turno-1"]
const second = ["--operador", "turno-2"]
const the = (proposal: number) => ["--propuesta", `${proposal}`]

// Nobody ever knows how it ended.
const silent = "8095550112"

layer(CommandLine.layer, { excludeTestServices: true })("a sale that no provider settles", (it) => {
  // What is proposed -> how the sale ends, what is left available.
  it.effect.each([
    ["FAILED", failed, [100, 0]],
    ["SUCCESS", success, [99, 0]]
  ] as const)("is settled as %s once another operator confirms it", ([status, proposal, left]) =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id } = yield* stuck(`END-${status}`, silent)
      yield* answer("transactions", "resolve", id, ...proposal, ...first)
      assert.deepStrictEqual(yield* balanceOf(company), [99, 1], "a proposal moves nothing")
      for (const name of ["turno-1", "Turno-1 "]) {
        const own = yield* refusal("transactions", "confirm", id, ...the(1), "--operador", name)
        assert.deepStrictEqual(
          [own.exit, own.code, own.details.motivo],
          [1, "RESOLUTION_NOT_CONFIRMABLE", "same_operator"]
        )
      }
      const confirmed = yield* answer("transactions", "confirm", id, ...the(1), ...second)
      assert.strictEqual(confirmed.status, status)
      assert.deepStrictEqual(yield* balanceOf(company), [...left])
      assert.isTrue((yield* answer("audit")).ok)
      const again = yield* refusal("transactions", "confirm", id, ...the(1), ...second)
      assert.strictEqual(again.code, "TRANSACTION_NOT_RESOLVABLE")
      const sql = yield* PgClient.PgClient
      const audited = yield* sql<{ action: string; operator: string }>`
        select action, details ->> 'operator' as operator
        from directory.audit_event
        where company_id = ${company} and action like 'resolution%'
        order by id`
      assert.deepStrictEqual(audited, [
        { action: "resolution_proposed", operator: "turno-1" },
        { action: "resolution_agreed", operator: "turno-2" },
        { action: "resolution_confirmed", operator: "turno-2" }
      ])
    })
  )

  it.effect("is not settled against what the provider firmly says", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id } = yield* stuck("KNOWN", "8095550123")
      yield* answer("transactions", "resolve", id, ...failed, ...first)
      const { code, details } = yield* refusal("transactions", "confirm", id, ...the(1), ...second)
      assert.deepStrictEqual([code, details.proveedor], ["SUPPLIER_DISAGREES", "Delivered"])
      assert.deepStrictEqual(yield* balanceOf(company), [99, 1])
    })
  )

  it.effect("keeps what the provider itself says of the delivery, not what operators wrote", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { id } = yield* stuck("PROVEN", "8095550123", "electricity_prepaid")
      const proposed = yield* answer(
        "transactions",
        "resolve",
        id,
        ...success,
        "--token",
        "12345678901234567890",
        ...first
      )
      assert.strictEqual(proposed.token, "1234 5678 9012 3456 7890")
      yield* answer("transactions", "confirm", id, ...the(1), ...second)
      const { auth_code, recharge_token } = yield* answer("transactions", "show", id)
      assert.match(auth_code, /^SBX/)
      assert.match(recharge_token, /^\d{4}( \d{4}){4}$/)
      assert.notStrictEqual(recharge_token, "1234 5678 9012 3456 7890")
    })
  )

  it.effect("of electricity has the token that was found, and is not sold without one", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { id } = yield* stuck("LIGHT", silent, "electricity_prepaid")
      const without = yield* refusal("transactions", "resolve", id, ...success, ...first)
      assert.deepStrictEqual([without.exit, without.details.motivo], [1, "no_token"])
      assert.match(without.message, /--token/)
      yield* answer("transactions", "resolve", id, ...success, "--token", "1234-5678-9012-3456-7890", ...first)
      yield* answer("transactions", "confirm", id, ...the(1), ...second)
      const { recharge_token } = yield* answer("transactions", "show", id)
      assert.strictEqual(recharge_token, "1234 5678 9012 3456 7890")
    })
  )

  it.effect("is not settled by a proposal that has changed since it was looked at", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id } = yield* stuck("CHANGED", silent)
      const seen = yield* answer("transactions", "resolve", id, ...failed, ...first)
      const since = yield* answer("transactions", "resolve", id, ...success, ...first)
      assert.deepStrictEqual([seen.propuesta, since.propuesta], [1, 2])
      const { code, details } = yield* refusal("transactions", "confirm", id, ...the(1), ...second)
      assert.deepStrictEqual([code, details.motivo], ["RESOLUTION_NOT_CONFIRMABLE", "changed"])
      assert.deepStrictEqual(yield* balanceOf(company), [99, 1])
      const { historia } = yield* answer("transactions", "show", id)
      const shown = historia.flatMap(({ detalles }: { detalles?: { proposal?: number } }) => detalles?.proposal ?? [])
      assert.deepStrictEqual(shown, [1, 2])
      const confirmed = yield* answer("transactions", "confirm", id, ...the(2), ...second)
      assert.deepStrictEqual([confirmed.resultado, confirmed.status], ["success", "SUCCESS"])
    })
  )

  it.effect("keeps the proposal that was confirmed, though whoever confirmed it died before it was settled", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id } = yield* stuck("DIED", silent)
      yield* answer("transactions", "resolve", id, ...success, ...first)
      const sql = yield* PgClient.PgClient
      yield* sql`
        update cell.resolution set confirmed_by = 'turno-2', confirmed_at = proposed_at where company_id = ${company}`
      const { code, details } = yield* refusal("transactions", "resolve", id, ...failed, "--operador", "turno-3")
      assert.deepStrictEqual([code, details.motivo], ["TRANSACTION_NOT_RESOLVABLE", "confirmed"])
      const audited = yield* sql`
        select details ->> 'operator' as operator
        from directory.audit_event
        where company_id = ${company} and action = 'resolution_proposed'`
      assert.deepStrictEqual(audited, [{ operator: "turno-1" }])
      const confirmed = yield* answer("transactions", "confirm", id, ...the(1), "--operador", "turno-3")
      assert.strictEqual(confirmed.status, "SUCCESS")
    })
  )

  it.effect("cannot be confirmed when nobody has proposed anything", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { id } = yield* stuck("NOBODY", silent)
      const { details } = yield* refusal("transactions", "confirm", id, ...the(1), ...second)
      assert.strictEqual(details.motivo, "no_proposal")
    })
  )

  it.effect("is left alone while its own call may still be under way", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { company, id } = yield* stuck("YOUNG", silent)
      const sql = yield* PgClient.PgClient
      yield* sql`update cell.transaction set created_at = created_at + interval '6 minutes' where company_id = ${company}`
      const { code, details } = yield* refusal("transactions", "resolve", id, ...failed, ...first)
      assert.deepStrictEqual([code, details.motivo], ["TRANSACTION_NOT_RESOLVABLE", "young"])
    })
  )

  // What is wrong with the command line -> what its error speaks of.
  it.effect.each([
    [["--as", "success", "--motivo", "x"], /--autorizacion/],
    [[...failed, "--autorizacion", "OP-1"], /--as failed/],
    [[...failed, "--token", "12345678901234567890"], /--as failed/],
    [[...success, "--token", "1234"], /--token/],
    [[...success, "--desde", "2027-01-01"], /--desde/],
    [[...success, "--desde", "2027-02-28", "--hasta", "2027-02-30"], /--hasta/],
    [["--as", "maybe", "--motivo", "x"], /success/]
  ] as const)("is not resolved by %s", ([flags, speaks]) =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { exit, message } = yield* refusal("transactions", "resolve", "1", ...flags, ...first)
      assert.strictEqual(exit, 2)
      assert.match(message, speaks)
    })
  )

  it.effect("must exist", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { code } = yield* refusal("transactions", "resolve", "999999999", ...failed, ...first)
      assert.strictEqual(code, "TRANSACTION_NOT_FOUND")
    })
  )
})
