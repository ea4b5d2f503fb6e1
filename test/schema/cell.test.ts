import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestDatabase } from "../support/Database.ts"

const tenantTables = [
  "adjustment",
  "balance",
  "block",
  "consumption",
  "entry",
  "idempotency",
  "insurance",
  "option",
  "question",
  "replay",
  "resolution",
  "reversal",
  "sms",
  "transaction"
]

layer(TestDatabase)("the schema of a cell", (it) => {
  it.effect("puts the company id first in every primary, unique and foreign key", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const keys = yield* sql<{ relation: string; name: string; first: string }>`
        select c.relname as relation, i.relname as name, a.attname as first
        from pg_index as x
        join pg_class as c on c.oid = x.indrelid
        join pg_class as i on i.oid = x.indexrelid
        join pg_namespace as n on n.oid = c.relnamespace
        join pg_attribute as a on a.attrelid = c.oid and a.attnum = x.indkey[0]
        where n.nspname = 'cell' and x.indisunique
        union all
        select c.relname, k.conname, a.attname
        from pg_constraint as k
        join pg_class as c on c.oid = k.conrelid
        join pg_namespace as n on n.oid = c.relnamespace
        join pg_attribute as a on a.attrelid = c.oid and a.attnum = k.conkey[1]
        where n.nspname = 'cell' and k.contype = 'f'`
      assert.deepStrictEqual([...new Set(keys.map(({ relation }) => relation))].sort(), tenantTables)
      assert.isEmpty(keys.filter(({ first }) => first !== "company_id"))
    })
  )

  it.effect("refers to nothing outside itself", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const foreign = yield* sql`
        select k.conname
        from pg_constraint as k
        join pg_namespace as own on own.oid = k.connamespace
        join pg_class as target on target.oid = k.confrelid
        where own.nspname = 'cell' and k.contype = 'f' and target.relnamespace <> own.oid`
      assert.isEmpty(foreign)
      const functions = yield* sql<{ name: string; settings: ReadonlyArray<string> | null }>`
        select p.proname as name, p.proconfig as settings
        from pg_proc as p
        join pg_namespace as n on n.oid = p.pronamespace
        where n.nspname = 'cell' and p.prorettype <> 'trigger'::regtype and p.provolatile <> 'i'`
      assert.isNotEmpty(functions)
      for (const { name, settings } of functions) {
        assert.include(settings ?? [], "search_path=cell, pg_temp", name)
      }
    })
  )

  it.effect("keeps no business fact of its own clock", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const clocks = yield* sql`
        select p.proname as name
        from pg_proc as p
        join pg_namespace as n on n.oid = p.pronamespace
        where n.nspname in ('cell', 'directory', 'catalogue')
          and p.prosrc ~* '(\\m(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\\M *\\(|\\mcurrent_(date|time|timestamp)\\M|\\mlocaltime)'`
      assert.isEmpty(clocks)
      const defaults = yield* sql`
        select d.oid
        from pg_attrdef as d
        join pg_class as c on c.oid = d.adrelid
        join pg_namespace as n on n.oid = c.relnamespace
        where n.nspname in ('cell', 'directory', 'catalogue')
          and pg_get_expr(d.adbin, d.adrelid) ~* '(now\\(|timestamp|current_date)'`
      assert.isEmpty(defaults)
    })
  )

  const opening = `
    insert into cell.balance (company_id, available, updated_at) values (1, 100, 'epoch') on conflict do nothing;
    insert into cell.entry (company_id, id, type, amount, balance, reference, created_at)
    values (1, 1, 'deposit', 100, 100, 'opening', 'epoch') on conflict do nothing`
  const sale = (status: string, processed: string, auth: string) => `
    insert into cell.transaction (
      company_id, id, xid, idempotency_key, status, environment, service_id, service_name, service_type, identifier,
      amount, reversible, day, created_at, processed_at, auth_code
    ) values (1, 1, 'RD-1', 'k', '${status}', 'development', 1, 's', 'generic', '123', 100, false, 'epoch', 'epoch', ${processed}, ${auth})`

  const reversal = (id: number, status: string, processed: string) => `
    insert into cell.reversal (company_id, id, transaction_id, xid, idempotency_key, status, created_at, processed_at)
    values (1, ${id}, 1, 'RV-${id}', 'k${id}', '${status}', 'epoch', ${processed})`

  const resolution = (verdict: string, reversal: string) => `
    insert into cell.resolution (company_id, transaction_id, reversal_id, verdict, reason, proposed_by, proposed_at)
    values (1, 1, ${reversal}, '${verdict}', 'r', 'a', 'epoch')`

  it.effect.each([
    ["an available balance below zero", `update cell.balance set available = -1`],
    ["a held balance below zero", `update cell.balance set held = -1`],
    ["more than JSON carries exactly", `update cell.balance set available = 9007199254740992`],
    ["a change of a ledger entry", `update cell.entry set amount = 1`],
    ["the loss of a ledger entry", `delete from cell.entry`],
    ["the loss of the ledger", `truncate cell.entry`],
    [
      "a second deposit of one reference",
      `insert into cell.entry values (1, 2, 'deposit', 5, 5, null, 'opening', 'epoch')`
    ],
    ["a sale entry that adds money", `insert into cell.entry values (1, 2, 'sale', 5, 5, 1, null, 'epoch')`],
    ["a success without its code", sale("SUCCESS", "'epoch'", "null")],
    ["a pending sale that is over", sale("PENDING", "'epoch'", "null")],
    [
      "a way back from failure",
      `${sale("FAILED", "'epoch'", "null")}; update cell.transaction set status = 'SUCCESS', auth_code = 'x'`
    ],
    [
      "a way back from success",
      `${sale("SUCCESS", "'epoch'", "'x'")}; update cell.transaction set status = 'PENDING', processed_at = null`
    ],
    [
      "a second reversal of a sale while one stands",
      `${sale("SUCCESS", "'epoch'", "'x'")}; ${reversal(1, "PENDING", "null")}; ${reversal(2, "PROCESSING", "null")}`
    ],
    [
      "a way back from a confirmed reversal",
      `${sale("SUCCESS", "'epoch'", "'x'")}; ${reversal(1, "CONFIRMED", "'epoch'")}; update cell.reversal set status = 'DENIED'`
    ],
    [
      "a confirmed reversal that is not over",
      `${sale("SUCCESS", "'epoch'", "'x'")}; ${reversal(1, "CONFIRMED", "null")}`
    ],
    ["a reversal of no sale", reversal(1, "PENDING", "null")],
    [
      "a finding of a reversal that names none",
      `${sale("SUCCESS", "'epoch'", "'x'")}; ${resolution("reversed", "null")}`
    ],
    [
      "a finding of a sale that names a reversal",
      `${sale("SUCCESS", "'epoch'", "'x'")}; ${reversal(1, "PENDING", "null")}; ${resolution("failed", "1")}`
    ],
    ["a finding of no reversal that there is", `${sale("SUCCESS", "'epoch'", "'x'")}; ${resolution("stands", "9")}`],
    ["another amount for a sale", `${sale("PROCESSING", "null", "null")}; update cell.transaction set amount = 1`]
  ] as const)("refuses %s", ([, statement]) =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      // In one block, so that what a case set up goes with it.
      const block = (body: string) => sql.unsafe(`do $do$ begin ${body}; end $do$`).unprepared
      yield* block(opening)
      const refused = yield* Effect.flip(block(statement))
      assert.match(String(refused.reason._tag), /ConstraintError|UniqueViolation/)
    })
  )
})
