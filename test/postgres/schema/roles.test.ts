import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import { migrate } from "../../../adapters/postgres/schema/Migrations.ts"
import { recover } from "../../../core/workflows/Recover.ts"
import type { DatabaseRole } from "../../../facade/settings/DatabaseServer.ts"
import { testDatabaseUrl } from "../../support/Database.ts"
import { asLoginIn } from "../../support/DatabaseLogins.ts"
import { populated } from "../../support/EveryState.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { consult, get, post, sell } from "../../support/service/HttpCalls.ts"
import { insuranceCompany, quoted, spanish } from "../../support/service/InsuranceCalls.ts"
import { reversalForms } from "../../support/service/ReversalCalls.ts"
import { TestServer } from "../../support/service/TestServer.ts"

const [reversal] = reversalForms as [(typeof reversalForms)[number]]

/** Logins that are connected to the database, and whether each may change the ledger directly. */
const logins = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return yield* sql<{ login: string; may: boolean }>`
    select distinct
      usename::text as login,
      has_table_privilege(usename, 'cell.entry', 'UPDATE, DELETE, TRUNCATE, INSERT') as may
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and usename <> session_user`
})

layer(TestServer, { excludeTestServices: true })("a server whose login owns no table", (it) => {
  it.effect("sells, recovers, reverses, looks up and insures with correct balances", () =>
    Effect.gen(function* () {
      const { pass } = yield* ManualClock
      assert.deepStrictEqual(yield* logins, [{ login: "test_saldo_server", may: false }])

      const { auth } = yield* insuranceCompany({ money: 60_000 })
      const sold = yield* sell({ service_id: 7, identifier: "204510003", amount: 100 }, auth)
      assert.strictEqual(sold.status, 201)

      const unknown = yield* sell({ service_id: 1, identifier: "8095550132", amount: 200 }, auth)
      assert.strictEqual(unknown.status, 202)
      yield* pass("1 minutes")
      yield* recover("due")
      const { transaction_id } = unknown.body.error.details
      assert.strictEqual((yield* get(`/v1/transacciones/${transaction_id}`, auth)).body.data.status, "SUCCESS")

      assert.strictEqual((yield* reversal.reverse(sold.body.data.transaction_id, auth)).status, 200)

      const { opciones } = (yield* consult(3, "8095550123", auth)).body.data
      const { opcion_id, precio } = opciones[0]
      const bought = yield* sell({ service_id: 3, identifier: "8095550123", opcion_id }, auth)
      assert.deepStrictEqual([bought.status, bought.body.data.amount], [201, precio])

      const { id, placa, total } = yield* quoted(auth)
      assert.strictEqual((yield* spanish.sell(auth, id, placa)).status, 201)

      const { items, pagination } = (yield* get("/v1/movimientos", auth)).body.data
      assert.strictEqual(pagination.total, 6)
      assert.strictEqual(items[0].saldo, 60_000 - 200 - precio - total)
      assert.strictEqual((yield* get("/v1/saldo", auth)).body.data.saldo_actual, items[0].saldo)
      assert.strictEqual((yield* post("/v1/recargas", {}, auth)).status, 422)
    })
  )
})

/** A connection to the test's database with the login of a role. */
const asIn = (role: DatabaseRole) =>
  Layer.unwrap(
    Effect.map(testDatabaseUrl, (url) =>
      Layer.fresh(Database.layer({ url: Redacted.make(asLoginIn(role, url)), connections_max: 1 }))
    )
  )

const attempt = Effect.fnUntraced(function* (role: DatabaseRole, statement: string) {
  const tried = PgClient.PgClient.use((sql) => sql.unsafe(statement).unprepared)
  return yield* Effect.match(Effect.provide(tried, asIn(role)), {
    onSuccess: () => "done",
    onFailure: (error) => (error._tag === "SqlError" ? error.reason._tag : error.message)
  })
})

/** Statements denied to servers and operators. */
const forbiddenToAll = [
  "update cell.entry set amount = 1",
  "delete from cell.entry",
  "truncate cell.entry",
  "insert into cell.entry (company_id, id, type, amount, balance, reference, created_at) values (1, 1000000, 'deposit', 5, 5, 'x', 'epoch')",
  "update cell.balance set available = available + 1",
  "update cell.balance set held = 0",
  "insert into cell.balance (company_id, available, updated_at) values (9, 5, 'epoch')",
  "delete from cell.balance",
  "update cell.consumption set total = 0",
  "update cell.transaction set status = 'FAILED'",
  "update cell.transaction set amount = 1",
  "insert into cell.transaction select * from cell.transaction",
  "delete from cell.transaction",
  "update cell.reversal set status = 'CONFIRMED'",
  "update cell.idempotency set outcome = null",
  "delete from cell.idempotency",
  "update cell.insurance set policy_number = 'x'",
  "update cell.insurance set transaction_id = null",
  "delete from cell.insurance",
  "insert into cell.insurance select * from cell.insurance",
  "insert into cell.insurance (company_id, id, policy_number) values (1, 1, 'x')",
  "delete from cell.sms",
  "delete from cell.question",
  "delete from cell.replay",
  "update cell.replay set first_at = last_at",
  "delete from cell.resolution",
  "update cell.block set members = 1",
  "select cell.make_blocks('entry', array[1])",
  "select cell.deposit(1, 500, 9007199254740991, 'x', now())",
  "select cell.adjust(1, 500, 'x', now() + interval '1 day', now())",
  "select directory.allow_funding(1, true)",
  "select directory.adjust(1, 500, 'x', now() + interval '1 day', now())",
  "select cell.post_adjustment(1, 500, 'x', now())",
  "insert into cell.funding_proposal (company_id, number) values (1, 1)",
  "update cell.funding_proposal set proposed_by = 'x'",
  "delete from cell.funding_proposal",
  "select nextval('cell.entry_id')",
  "update directory.audit_event set details = '{}'",
  "delete from directory.audit_event",
  "update directory.operator set name = 'otra'",
  "delete from directory.operator",
  "update directory.operator_session set operator_id = 1",
  "update directory.operator_invitation set expires_at = 'infinity'",
  "update directory.token set permissions = '{}'",
  "update directory.token set company_id = 2",
  "delete from directory.token",
  "delete from directory.company",
  "delete from directory.data_key",
  "delete from catalogue.service",
  "update directory.schema_file set digest = ''",
  "update directory.schema_version set version = 2",
  "alter table cell.entry disable trigger all",
  "alter table cell.entry add column x int",
  "alter table cell.entry disable row level security",
  "alter table cell.entry owner to current_user",
  "drop trigger entry_append_only on cell.entry",
  "drop table cell.entry",
  "drop policy reader_sees_one on cell.transaction",
  "create policy mine on cell.transaction using (true)",
  "create table cell.mine (x int)",
  "create function cell.mine() returns int language sql return 1",
  "drop function cell.settle",
  "alter function cell.settle security invoker",
  "create or replace function cell.refuse_change() returns trigger language plpgsql as 'begin return null; end'",
  "create schema mine",
  "drop schema cell cascade",
  "set session_replication_role = replica",
  "set role saldo",
  "set session authorization saldo",
  "create role mine",
  "alter role current_user superuser",
  "copy (select 1) to program 'true'"
] as const

/** Statements denied to servers and allowed to operators. */
const forbiddenToServer = [
  "update directory.company set state = 'vip'",
  "update cell.balance set limit_daily = 0",
  "insert into cell.balance (company_id, limit_daily, updated_at) values (9, 0, 'epoch')",
  "insert into catalogue.company_service (company_id, service_id, enabled) values (1, 1, false)",
  "select directory.move_company(1, 'norte')",
  "insert into directory.company_move (company_id, source, target, begun_at) values (1, 'cell', 'norte', 'epoch')",
  "select * from directory.audit_event",
  "select * from directory.operator",
  "select * from directory.operator_invitation",
  "select * from directory.operator_session",
  "select * from directory.sign_in_attempt",
  "update directory.operator set role = 'admin'",
  "insert into directory.operator (name, role, created_at) values ('Intrusa', 'admin', 'epoch')",
  "select * from directory.deposit(1, 500, 9007199254740991, 'x', now())",
  "select cell.propose_funding(1, 'adjustment', 500, 'x', false, 'y', 'ana', now(), now() + interval '1 day')",
  "select cell.confirm_funding(1, 1, 'luis', 9007199254740991, now())",
  "select directory.propose_funding(1, 'adjustment', 500, 'x', false, 'y', 'ana', now(), now() + interval '1 day')",
  "select directory.confirm_funding(1, 1, 'luis', 9007199254740991, now())",
  "select cell.reject_funding(1, 1, 'luis', 'x', now())",
  "update cell.resolution set verdict = 'failed'",
  "set role saldo_operator"
] as const

layer(populated)("the database role of a server", (it) => {
  it.effect.each(forbiddenToAll)("may not execute: %s", (statement) =>
    Effect.gen(function* () {
      for (const role of ["saldo_server", "saldo_operator"] as const) {
        assert.strictEqual(yield* attempt(role, statement), "AuthorizationError", role)
      }
    })
  )

  it.effect.each(forbiddenToServer)("may not execute, unlike the operator's role: %s", (statement) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* attempt("saldo_server", statement), "AuthorizationError")
      if (!statement.startsWith("set role"))
        assert.notStrictEqual(yield* attempt("saldo_operator", statement), "AuthorizationError")
    })
  )

  // Postgres only warns about a grant by a role that has no right to grant.
  it.effect("cannot grant itself a right", () =>
    Effect.gen(function* () {
      yield* attempt("saldo_server", "grant update on cell.entry to current_user")
      assert.strictEqual(yield* attempt("saldo_server", "update cell.entry set amount = 1"), "AuthorizationError")
    })
  )

  it.effect("owns no object", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const owned = yield* sql`
        select d.classid::regclass, d.objid
        from pg_shdepend as d
        join pg_roles as r on r.oid = d.refobjid and d.refclassid = 'pg_authid'::regclass
        where d.deptype = 'o' and (r.rolname like 'saldo\\_%' or r.rolname like 'test\\_%')`
      assert.isEmpty(owned)
      const able = yield* sql`
        select rolname
        from pg_roles
        where (rolname like 'saldo\\_%' or rolname like 'test\\_%')
          and (rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication)`
      assert.isEmpty(able)
    })
  )

  it.effect("suffices to start on a migrated schema; on another schema the error states what to configure", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      assert.deepStrictEqual(yield* Effect.provide(migrate, asIn("saldo_server")), [])
      yield* sql`update cell.schema_file set digest = '' where name = 'functions/deposit'`
      const refused = yield* Effect.flip(Effect.provide(migrate, asIn("saldo_server")))
      assert.include(refused.message, "MIGRATION_DATABASE_URL")
      assert.deepStrictEqual(yield* migrate, ["cell/functions/deposit"])
      assert.deepStrictEqual(yield* Effect.provide(migrate, asIn("saldo_server")), [])
    })
  )
})
