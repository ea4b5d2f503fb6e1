import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestDatabase } from "../../support/Database.ts"

/** Rights of the role for reads. */
const reader = {
  "cell.balance": "select",
  "cell.block": "select",
  "cell.closing": "select",
  "cell.consumption": "select",
  "cell.entry": "select",
  "cell.event": "select",
  "cell.idempotency": "select",
  "cell.insurance": "select",
  "cell.option": "select",
  "cell.reversal": "select",
  "cell.sublist_block": "select",
  "cell.transaction": "select"
}

/** Rights of the server, including those for reads. */
const server = {
  "catalogue.category": "insert, select, update",
  "catalogue.company_service": "select",
  "catalogue.package": "insert, select, update",
  "catalogue.service": "insert, select, update",
  "cell.adjustment": "select",
  "cell.balance": "select",
  "cell.block": "select",
  "cell.closing": "select",
  "cell.consumption": "select",
  "cell.departed": "select",
  "cell.deposit_reference": "select",
  "cell.entry": "select",
  "cell.delivery": "delete, insert, select, update",
  "cell.event": "delete, select",
  "cell.funding_proposal": "select",
  "cell.idempotency": "select",
  "cell.insurance":
    "insert code_expires_at code_hash company_id created_at environment id insured offered_extras plate " +
    "reference renewal service_id state terminal_id versions, select, update attempts code_expires_at " +
    "code_hash offered_extras plan quote_expires_at quote_extras quote_reference quote_total resends " +
    "state undelivered version",
  "cell.follow_up": "insert, select, update leased_until settled_at transaction_id",
  "cell.insurance_id": "usage",
  "cell.option": "delete, insert, select, update data expires_at name price validity",
  "cell.question": "insert, select, update last_at times",
  "cell.replay": "insert, select, update last_at times",
  "cell.resolution": "select",
  "cell.reversal": "select, update asked_at leased_until",
  "cell.schema_file": "select",
  "cell.sms": "insert, select, update ask_at detail expires_at leased_until sealed send_at settled_at status tries",
  "cell.sublist_block": "select",
  "cell.transaction": "select, update asked_at leased_until",
  "cell.webhook":
    "delete, select, update description event_types failing_since previous_secret previous_until secret state url",
  "cell.webhook_id": "usage",
  "directory.audit_event": "insert, select action at",
  "directory.cell": "select",
  "directory.cell_move": "select",
  "directory.company": "insert, select",
  "directory.company_move": "select",
  "directory.data_key": "insert, select, update protected wrapped",
  "directory.follow_up": "insert, select, update leased_until settled_at transaction_id",
  "directory.last_audit": "insert, select, update duration_ms ended_at violations",
  "directory.phone_quota": "delete, insert, select, update queued_at",
  "directory.provider_float": "insert, select, update balances failed_at read_at",
  "directory.schema_file": "select",
  "directory.schema_version": "select",
  "directory.token":
    "insert, select, update previous_hash previous_pepper previous_until secret_hash secret_pepper state",
  "directory.token_use": "insert, select, update used_at"
}

/** Rights of the operator's role in addition to those of the server's role. */
const operator = {
  "catalogue.company_service": "insert, update",
  "cell.balance":
    "insert company_id limit_daily limit_monthly limit_weekly low_balance_alert updated_at, update " +
    "limit_daily limit_monthly limit_weekly low_balance_alert updated_at",
  "cell.resolution": "insert, update",
  "directory.audit_event": "select",
  "directory.cell": "update state",
  "directory.cell_move": "delete, insert",
  "directory.company": "update api_enabled insurance_enabled legal_name rnc state",
  "directory.company_move": "delete, insert",
  "directory.operator":
    "insert created_at email name role, select, update oidc_issuer oidc_subject password_hash role signed_in_at suspended " +
    "token_hash totp_secret totp_step",
  "directory.operator_invitation": "delete, insert, select, update password_hash totp_secret",
  "directory.operator_session": "delete, insert, select, update reauthenticated_at used_at",
  "directory.sign_in_attempt": "delete, insert, select",
  "directory.statement_case":
    "insert, select, update company_id external_id file gone_at line lines opened_at our_amount our_at our_status seen_at state their_amount their_at their_status transaction_id",
  "directory.statement_case_note": "insert, select"
}

layer(TestDatabase)("a database role", (it) => {
  it.effect("has the listed rights on tables and sequences, and no others", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const rows = yield* sql<{ relation: string; role: string; rights: string }>`
        with held as (
          select c.oid, a.grantee, lower(a.privilege_type) as privilege, null as column
          from pg_class as c, aclexplode(c.relacl) as a
          where a.grantee <> c.relowner
          union all
          select c.oid, a.grantee, lower(a.privilege_type), t.attname
          from pg_class as c
          join pg_attribute as t on t.attrelid = c.oid, aclexplode(t.attacl) as a
          where a.grantee <> c.relowner
        ),
        summed as (
          select
            h.oid,
            h.grantee,
            h.privilege || coalesce(' ' || string_agg(h.column, ' ' order by h.column), '') as right
          from held as h
          group by h.oid, h.grantee, h.privilege, h.column is null
        )
        select
          c.oid::regclass::text as relation,
          coalesce(r.rolname, 'public') as role,
          string_agg(s.right, ', ' order by s.right) as rights
        from summed as s
        join pg_class as c on c.oid = s.oid
        left join pg_roles as r on r.oid = s.grantee
        where c.relnamespace in ('cell'::regnamespace, 'directory'::regnamespace, 'catalogue'::regnamespace)
        group by 1, 2
        order by 1, 2`
      const grantedTo = (role: string) =>
        Object.fromEntries(rows.filter((row) => row.role === role).map(({ relation, rights }) => [relation, rights]))
      assert.deepStrictEqual([...new Set(rows.map(({ role }) => role))].sort(), [
        "saldo_operator",
        "saldo_reader",
        "saldo_server"
      ])
      assert.deepStrictEqual(grantedTo("saldo_reader"), reader)
      assert.deepStrictEqual(grantedTo("saldo_server"), server)
      assert.deepStrictEqual(grantedTo("saldo_operator"), operator)
    })
  )
})
