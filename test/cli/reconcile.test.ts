import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommandLine } from "../support/CommandLine.ts"
import { sellInEveryState } from "../support/EveryState.ts"

/** A company with sales in every state, older than the simulator wants them before it tells how they ended. */
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

layer(CommandLine.layer, { excludeTestServices: true })("reconcile without a provider", (it) => {
  it.effect("fails, says which variable is not set, and leaves sales held", () =>
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
      assert.strictEqual(answered.por, "recovery", "the call was dead before it could answer")
      assert.match(
        (yield* run("transactions", "show", id)).stdout,
        /recovery could not ask about the sale, as whoever would know takes no calls/
      )
    })
  )

  it.effect("settles what the simulator sold, and tells of the rest", () =>
    Effect.gen(function* () {
      const { run } = yield* CommandLine
      yield* company("OTRA", "development")
      const { code, stdout } = yield* run("reconcile", "--json")
      const { confirmadas, sin_preguntar, variables_ausentes } = JSON.parse(stdout)
      assert.deepStrictEqual([code, confirmadas, sin_preguntar], [0, 2, 2])
      assert.deepStrictEqual(variables_ausentes, ["PROVIDER", "INSURER"])
    })
  )
})
