import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import example from "../../../facade/settings/catalogue.example.json" with { type: "json" }
import { CommandLine } from "../../support/CommandLine.ts"
import { fileOf } from "../support/CatalogueFiles.ts"

/** A digest of every table that an operator may change, one line per table. The audit log itself is left out. */
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

/** One operator command of each kind, for a new company and a new token. */
const changes = Effect.gen(function* () {
  const { answer } = yield* CommandLine
  yield* answer("catalog", "import", yield* fileOf("catalogue", JSON.stringify(example)))
  const [first, ...others] = example.servicios
  const changed = { ...example, servicios: [{ ...first, nombre: "Otro nombre" }, ...others] }
  const changedFile = yield* fileOf("changed", JSON.stringify(changed))
  const code = crypto.randomUUID().slice(0, 8)
  const create = ["company", "create", "--razon-social", "Una, S.R.L.", "--ambiente", "development"]
  const { empresa_id } = yield* answer(...create, "--codigo", code)
  const { token_id } = yield* answer("token", "issue", `${empresa_id}`, "--nombre", "caja")
  return [
    [...create, "--codigo", `${code}-2`],
    ["company", "set", `${empresa_id}`, "--estado", "suspendida", "--limite-diario", "7"],
    ["company", "set", `${empresa_id}`, "--limite-semanal", "8"],
    ["company", "set", `${empresa_id}`, "--eventos", "on"],
    ["token", "issue", `${empresa_id}`, "--nombre", "otra"],
    ["token", "rotate", `${token_id}`],
    ["catalog", "import", changedFile],
    ["catalog", "disable", `${empresa_id}`, "1"],
    ["catalog", "withdraw", "2"],
    ["token", "revoke", `${token_id}`]
  ]
})

const traces = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return yield* sql`select * from directory.audit_event order by id`
})

layer(CommandLine.layer, { excludeTestServices: true })(
  "an operator's change while its audit event cannot be stored",
  (it) => {
    it.effect("is not made by any command", () =>
      Effect.gen(function* () {
        const { answer, run } = yield* CommandLine
        const sql = yield* PgClient.PgClient
        const commands = yield* changes
        yield* sql`alter table directory.audit_event add constraint full_disk check (false) not valid`
        const before = yield* changeable
        for (const command of commands) {
          const { code } = yield* run(...command)
          assert.strictEqual(code, 1, command.join(" "))
          assert.deepStrictEqual(yield* changeable, before, command.join(" "))
        }
        yield* sql`alter table directory.audit_event drop constraint full_disk`
        yield* answer(...(commands.at(-1) ?? []))
        assert.notDeepEqual(yield* changeable, before)
      })
    )
  }
)

layer(CommandLine.layer, { excludeTestServices: true })("an operator's change that fails at commit", (it) => {
  it.effect("leaves no audit event from any command", () =>
    Effect.gen(function* () {
      const { answer, run } = yield* CommandLine
      const sql = yield* PgClient.PgClient
      const commands = yield* changes
      // A deferred constraint trigger fails at commit, after all rows were written.
      yield* sql`
        create function public.full_disk() returns trigger language plpgsql
        as 'begin raise exception $$no room$$; end'`
      const tables = ["directory.company", "directory.token", "cell.balance", "catalogue.service"]
      for (const table of [...tables, "catalogue.company_service"]) {
        yield* sql`
          create constraint trigger full_disk after insert or update on ${sql.literal(table)}
          deferrable initially deferred for each row execute function public.full_disk()`
      }
      const before = [yield* traces, yield* changeable]
      for (const command of commands) {
        const { code } = yield* run(...command)
        assert.strictEqual(code, 1, command.join(" "))
        assert.deepStrictEqual([yield* traces, yield* changeable], before, command.join(" "))
      }
      yield* sql`drop function public.full_disk cascade`
      yield* answer(...(commands.at(-1) ?? []))
      assert.strictEqual((yield* traces).length, (before[0]?.length ?? 0) + 1)
    })
  )
})

layer(CommandLine.layer, { excludeTestServices: true })("an operator's change", (it) => {
  it.effect("is in the audit log with the operator, the origin, and the values before and after", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const sql = yield* PgClient.PgClient
      const [, set, limits, , issue, , importing, withhold, withdraw, revoke] = yield* changes
      const done = [set, limits, issue, importing, withhold, withdraw, revoke]
      for (const command of done) yield* answer(...(command ?? []))
      const events = yield* sql<{ details: Record<string, unknown> }>`
        select details, actor, actor_id, via, address is not null as placed
        from directory.audit_event
        order by id desc
        limit ${done.length}`
      const shell = { actor: "local", actor_id: null, via: "cli", placed: true }
      for (const { details: _, ...origin } of events) assert.deepEqual<object>(origin, shell)
      const details = events.toReversed().map((event) => event.details)
      const [company, weekly, token, catalogue, ...others] = details
      assert.deepStrictEqual(company, {
        before: { state: "activa", daily: 5_000_000 },
        after: { state: "suspendida", daily: 700 }
      })
      assert.deepStrictEqual(weekly, { before: { weekly: 25_000_000 }, after: { weekly: 800 } })
      assert.deepInclude(token, { before: null })
      assert.deepInclude(token?.["after"], { name: "otra", permissions: [], expiresAt: null })
      assert.deepStrictEqual(catalogue?.["changes"], [
        { list: "services", id: 1, before: { name: example.servicios[0]?.nombre }, after: { name: "Otro nombre" } }
      ])
      assert.deepStrictEqual(others, [
        { serviceId: 1, before: { enabled: true }, after: { enabled: false } },
        { serviceId: 2, before: { active: true }, after: { active: false } },
        { before: { state: "active" }, after: { state: "revoked" } }
      ])
    })
  )
})
