import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../../support/CommandLine.ts"
import { failed, first, proposalFlag, second, silent, stuck, success } from "../support/Resolutions.ts"

const balanceOf = Effect.fnUntraced(function* (company: number) {
  const { answer } = yield* CommandLine
  const { saldo_disponible, saldo_retenido } = yield* answer("company", "show", `${company}`)
  return [saldo_disponible, saldo_retenido]
})

layer(CommandLine.layer, { excludeTestServices: true })("a sale without an answer from its provider", (it) => {
  // Proposed outcome -> final status, pesos available and held.
  it.effect.each([
    ["FAILED", failed, [100, 0]],
    ["SUCCESS", success, [99, 0]]
  ] as const)("is settled as %s once a second operator confirms the proposal", ([status, proposal, left]) =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id } = yield* stuck(`END-${status}`, silent)
      yield* answer("transactions", "resolve", id, ...proposal, ...first)
      assert.deepStrictEqual(yield* balanceOf(company), [99, 1], "a proposal moves nothing")
      for (const name of ["turno-1", "Turno-1 "]) {
        const own = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), "--operador", name)
        assert.deepStrictEqual(
          [own.exit, own.code, own.details.motivo],
          [1, "RESOLUTION_NOT_CONFIRMABLE", "same_operator"]
        )
      }
      const confirmed = yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...second)
      assert.strictEqual(confirmed.status, status)
      assert.deepStrictEqual(yield* balanceOf(company), [...left])
      assert.isTrue((yield* answer("audit")).ok)
      const again = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...second)
      assert.deepStrictEqual([again.code, again.details.confirmada_por], ["TRANSACTION_NOT_RESOLVABLE", "turno-2"])
      assert.match(again.message, /turno-2 confirmed the proposal at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\./)
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

  it.effect("is not settled against a definite answer of the provider", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id } = yield* stuck("KNOWN", "8095550123")
      yield* answer("transactions", "resolve", id, ...failed, ...first)
      const { code, details } = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...second)
      assert.deepStrictEqual([code, details.proveedor], ["SUPPLIER_DISAGREES", "Delivered"])
      assert.deepStrictEqual(yield* balanceOf(company), [99, 1])
    })
  )

  it.effect("keeps the delivery details of the provider, not those of the operators", () =>
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
      yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...second)
      const { auth_code, recharge_token } = yield* answer("transactions", "show", id)
      assert.match(auth_code, /^SBX/)
      assert.match(recharge_token, /^\d{4}( \d{4}){4}$/)
      assert.notStrictEqual(recharge_token, "1234 5678 9012 3456 7890")
    })
  )

  it.effect("needs a token to be resolved as a success when it is prepaid electricity", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { id } = yield* stuck("LIGHT", silent, "electricity_prepaid")
      const without = yield* refusal("transactions", "resolve", id, ...success, ...first)
      assert.deepStrictEqual([without.exit, without.details.motivo], [1, "no_token"])
      assert.match(without.message, /--token/)
      yield* answer("transactions", "resolve", id, ...success, "--token", "1234-5678-9012-3456-7890", ...first)
      yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...second)
      const { recharge_token } = yield* answer("transactions", "show", id)
      assert.strictEqual(recharge_token, "1234 5678 9012 3456 7890")
    })
  )

  it.effect("is not settled when the proposal has changed since the operator read it", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { company, id } = yield* stuck("CHANGED", silent)
      const seen = yield* answer("transactions", "resolve", id, ...failed, ...first)
      const since = yield* answer("transactions", "resolve", id, ...success, ...first)
      assert.deepStrictEqual([seen.propuesta, since.propuesta], [1, 2])
      const { code, details } = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...second)
      assert.deepStrictEqual([code, details.motivo], ["RESOLUTION_NOT_CONFIRMABLE", "changed"])
      assert.deepStrictEqual(yield* balanceOf(company), [99, 1])
      const { historia } = yield* answer("transactions", "show", id)
      const shown = historia.flatMap(({ detalles }: { detalles?: { proposal?: number } }) => detalles?.proposal ?? [])
      assert.deepStrictEqual(shown, [1, 2])
      const confirmed = yield* answer("transactions", "confirm", id, ...proposalFlag(2), ...second)
      assert.deepStrictEqual([confirmed.resultado, confirmed.status], ["success", "SUCCESS"])
    })
  )

  it.effect("keeps a confirmed proposal when the confirming process died before the settlement", () =>
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
      const confirmed = yield* answer("transactions", "confirm", id, ...proposalFlag(1), "--operador", "turno-3")
      assert.strictEqual(confirmed.status, "SUCCESS")
    })
  )

  it.effect("cannot be confirmed without a proposal", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { id } = yield* stuck("NOBODY", silent)
      const { details } = yield* refusal("transactions", "confirm", id, ...proposalFlag(1), ...second)
      assert.strictEqual(details.motivo, "no_proposal")
    })
  )

  it.effect("cannot be resolved while its own request may still be running", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { company, id } = yield* stuck("YOUNG", silent)
      const sql = yield* PgClient.PgClient
      yield* sql`update cell.transaction set created_at = created_at + interval '6 minutes' where company_id = ${company}`
      const { code, details } = yield* refusal("transactions", "resolve", id, ...failed, ...first)
      assert.deepStrictEqual([code, details.motivo], ["TRANSACTION_NOT_RESOLVABLE", "young"])
    })
  )

  // Flags -> what the error message names.
  it.effect.each([
    [["--as", "success", "--motivo", "x"], /--autorizacion/],
    [[...failed, "--autorizacion", "OP-1"], /--as failed/],
    [[...failed, "--token", "12345678901234567890"], /--as failed/],
    [[...success, "--token", "1234"], /--token/],
    [[...success, "--desde", "2027-01-01"], /--desde/],
    [[...success, "--desde", "2027-02-28", "--hasta", "2027-02-30"], /--hasta/],
    [["--as", "maybe", "--motivo", "x"], /success/]
  ] as const)("is not resolved with the flags %s", ([flags, speaks]) =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { exit, message } = yield* refusal("transactions", "resolve", "1", ...flags, ...first)
      assert.strictEqual(exit, 2)
      assert.match(message, speaks)
    })
  )

  it.effect("must exist to be resolved", () =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      const { code } = yield* refusal("transactions", "resolve", "999999999", ...failed, ...first)
      assert.strictEqual(code, "TRANSACTION_NOT_FOUND")
    })
  )
})
