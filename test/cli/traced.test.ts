import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import example from "../../facade/catalogue/catalogue.example.json" with { type: "json" }
import { CommandLine } from "../support/CommandLine.ts"
import { fileOf } from "./support/FileOf.ts"

/** What an operator may change: every table but that of the traces, a line each. */
const changeable = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const tables = yield* sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name
    from pg_tables
    where schemaname in ('cell', 'directory', 'catalogue') and tablename <> 'audit_event'
    order by 1`
  return yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(
      sql<{ held: string }>`
        select coalesce(sum(hashtextextended(t::text, 0)), 0)::text as held from ${sql.literal(name)} as t`,
      ([row]) => `${name}: ${row?.held}`
    )
  )
})

layer(CommandLine.layer, { excludeTestServices: true })("a change whose trace cannot be kept", (it) => {
  it.effect("is not made, whichever it is", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const sql = yield* PgClient.PgClient
      yield* answer("catalog", "import", yield* fileOf("catalogue", JSON.stringify(example)))
      const [first, ...others] = example.servicios
      const changed = { ...example, servicios: [{ ...first, nombre: "Otro nombre" }, ...others] }
      const changedFile = yield* fileOf("changed", JSON.stringify(changed))
      const create = ["company", "create", "--razon-social", "Una, S.R.L.", "--ambiente", "development"]
      const { empresa_id } = yield* answer(...create, "--codigo", "UNA")
      const { token_id } = yield* answer("token", "issue", `${empresa_id}`, "--nombre", "caja")
      yield* sql`alter table directory.audit_event add constraint full_disk check (false) not valid`
      const before = yield* changeable
      for (const command of [
        [...create, "--codigo", "OTRA"],
        ["company", "set", `${empresa_id}`, "--estado", "suspendida", "--limite-diario", "7"],
        ["token", "issue", `${empresa_id}`, "--nombre", "otra"],
        ["token", "rotate", `${token_id}`],
        ["token", "revoke", `${token_id}`],
        ["catalog", "import", changedFile],
        ["catalog", "disable", `${empresa_id}`, "1"]
      ]) {
        const { code } = yield* run(...command)
        assert.strictEqual(code, 1, command.join(" "))
        assert.deepStrictEqual(yield* changeable, before, command.join(" "))
      }
      yield* sql`alter table directory.audit_event drop constraint full_disk`
      yield* answer("token", "revoke", `${token_id}`)
      assert.notDeepEqual(yield* changeable, before)
    })
  )
})
