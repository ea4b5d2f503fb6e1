import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { by, CommandLine } from "../../support/CommandLine.ts"
import { testDatabaseUrl } from "../../support/Database.ts"
import { addOperator } from "../../support/OperatorAccounts.ts"
import { ana, auditOf, beto, booksOf, carla, correctionOf, depositOf } from "../support/FundingCommands.ts"
import { createCompany } from "../support/NewCompany.ts"

/** Makes the pending proposals of a company older. */
const makeOlder = Effect.fnUntraced(function* (company: number, interval: string) {
  const sql = yield* PgClient.PgClient
  yield* sql`set session_replication_role = replica`
  yield* sql`
    update cell.funding_proposal
    set proposed_at = proposed_at - ${interval}::text::interval, expires_at = expires_at - ${interval}::text::interval
    where company_id = ${company}`
  yield* sql`set session_replication_role = origin`
})

layer(CommandLine.layer, { excludeTestServices: true })("a proposal of a deposit or correction", (it) => {
  it.effect("can be rejected by another operator, or withdrawn, and then proposed again", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { empresa_id } = yield* createCompany("RECHAZADA")
      for (const [operator, name] of [
        [beto, "Beto"],
        [ana, "Ana"]
      ] as const) {
        const { propuesta } = yield* answer(...correctionOf(empresa_id, "70", "C-7"), ana)
        const number = `${propuesta}`
        const rejected = yield* answer("company", "reject", number, "--motivo", "No such transfer", operator)
        assert.include(rejected, { estado: "rechazada", decidida_por: name, motivo_rechazo: "No such transfer" })
        const confirmed = yield* refusal("company", "confirm", number, carla)
        assert.deepStrictEqual([confirmed.details.motivo, confirmed.details.decidida_por], ["rejected", name])
        const again = yield* refusal("company", "reject", number, "--motivo", "x", carla)
        assert.strictEqual(again.details.motivo, "rejected")
      }
      assert.deepStrictEqual(yield* booksOf(empresa_id), { available: 0, entries: [] })
      const actions = (yield* auditOf(empresa_id)).map(({ action, actor }) => [action, actor])
      assert.deepStrictEqual(actions, [
        ["funding_proposed", "Ana"],
        ["funding_rejected", "Beto"],
        ["funding_proposed", "Ana"],
        ["funding_rejected", "Ana"]
      ])
    })
  )

  it.effect("expires after 24 hours, and can then be proposed again", () =>
    Effect.gen(function* () {
      const { answer, refusal } = yield* CommandLine
      const { empresa_id } = yield* createCompany("VENCIDA")
      const { propuesta } = yield* answer(...correctionOf(empresa_id, "70", "C-8"), ana)
      yield* makeOlder(empresa_id, "24 hours")
      for (const decide of [
        ["confirm", `${propuesta}`],
        ["reject", `${propuesta}`, "--motivo", "x"]
      ]) {
        const { code, details } = yield* refusal("company", ...decide, beto)
        assert.deepStrictEqual([code, details.motivo], ["PROPOSAL_NOT_DECIDABLE", "expired"])
      }
      const next = yield* answer(...correctionOf(empresa_id, "70", "C-8"), ana)
      assert.notStrictEqual(next.propuesta, propuesta)
      yield* answer("company", "confirm", `${next.propuesta}`, beto)
      assert.strictEqual((yield* booksOf(empresa_id)).available, 70)
      const { items } = yield* answer("company", "proposals", `${empresa_id}`)
      assert.deepStrictEqual(
        items.map(({ estado, propuesta: number }: { estado: string; propuesta: number }) => [number, estado]),
        [
          [next.propuesta, "confirmada"],
          [propuesta, "vencida"]
        ]
      )
    })
  )

  it.effect("is listed before decided proposals, for one company or for all", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { empresa_id } = yield* createCompany("LISTA")
      const { propuesta: first } = yield* answer(...correctionOf(empresa_id, "1", "L-1"), ana)
      const { propuesta: second } = yield* answer(...correctionOf(empresa_id, "2", "L-2"), ana)
      yield* answer("company", "confirm", `${second}`, beto)
      const numbers = ({ items }: { items: ReadonlyArray<{ propuesta: number }> }) =>
        items.map(({ propuesta }) => propuesta)
      assert.deepStrictEqual(numbers(yield* answer("company", "proposals", `${empresa_id}`)), [first, second])
      assert.strictEqual(numbers(yield* answer("company", "proposals"))[0], first)
    })
  )

  it.effect.each([
    ["confirm", []],
    ["reject", ["--motivo", "x"]]
  ] as const)("that does not exist is refused by %s", ([command, flags]) =>
    Effect.gen(function* () {
      const { refusal } = yield* CommandLine
      assert.strictEqual((yield* refusal("company", command, "999999", ...flags, beto)).code, "PROPOSAL_NOT_FOUND")
    })
  )

  // Role, command -> whether the role may run it.
  describe.each([
    ["lector", { deposit: false, adjust: false, confirm: false, withdraw: false }],
    ["cajero", { deposit: true, adjust: false, confirm: false, withdraw: true }],
    ["supervisor", { deposit: true, adjust: true, confirm: true, withdraw: true }],
    ["admin", { deposit: true, adjust: true, confirm: true, withdraw: true }]
  ] as const)("by the role %s", (role, may) => {
    it.effect("can be made, confirmed or withdrawn only if the role allows this", () =>
      Effect.gen(function* () {
        const { answer, run } = yield* CommandLine
        const { empresa_id } = yield* createCompany(`ROL-${role}`)
        const name = `Rol ${role}`
        yield* addOperator(yield* testDatabaseUrl, name, role)
        const isDone = (...args: ReadonlyArray<string>) => Effect.map(run(...args, by(name)), ({ code }) => code === 0)
        const { propuesta } = yield* answer(...correctionOf(empresa_id, "5", "R-1"), ana)
        const done = {
          deposit: yield* isDone(...depositOf(empresa_id, "2000000", "R-2")),
          adjust: yield* isDone(...correctionOf(empresa_id, "5", "R-3")),
          confirm: yield* isDone("company", "confirm", `${propuesta}`)
        }
        const { items } = yield* answer("company", "proposals", `${empresa_id}`)
        const own = items.find(({ referencia }: { referencia: string }) => referencia === "R-2")?.propuesta ?? propuesta
        const withdraw = yield* isDone("company", "reject", `${own}`, "--motivo", "x")
        assert.deepStrictEqual({ ...done, withdraw }, may)
      })
    )
  })
})
