import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestDatabase } from "../../support/Database.ts"
import { refusedBy } from "../../support/SchemaGuards.ts"

// The statements with which servers and commands write rows of a company, each with its trigger. The company has a sale,
// an insurance and a webhook.

const cases: ReadonlyArray<readonly [what: string, trigger: string, statement: string]> = [
  [
    "an option",
    "option_closed",
    "insert into cell.option select 1, 'o', 3, '809', 'P', 'Paquete', 100, null, null, now()"
  ],
  [
    "a begun insurance",
    "insurance_begun_closed",
    `insert into cell.insurance (
      company_id, id, service_id, environment, state, plate, insured, renewal, reference, versions, offered_extras,
      code_hash, code_expires_at, created_at
    )
    select
      company_id, 2, service_id, environment, state, plate, insured, renewal, reference, versions, offered_extras,
      code_hash, code_expires_at, created_at
    from cell.insurance where id = 1`
  ],
  ["a step of an insurance", "insurance_closed", "update cell.insurance set attempts = attempts + 1 where id = 1"],
  [
    "an SMS",
    "sms_closed",
    `insert into cell.sms (company_id, id, insurance_id, environment, status, sealed, created_at, expires_at, send_at)
    values (1, gen_random_uuid(), 1, 'development', 'staged', '\\x00', now(), now(), now())`
  ],
  ["a changed webhook", "webhook_closed", "update cell.webhook set url = 'https://otra.example' where id = 1"],
  ["a removed webhook", "webhook_removed_closed", "delete from cell.webhook where id = 1"],
  [
    "a proposal to resolve a sale",
    "resolution_closed",
    `insert into cell.resolution (company_id, transaction_id, verdict, reason, proposed_by, proposed_at)
    values (1, 1, 'failed', 'r', 'ana', now())`
  ],
  ["a new limit", "balance_settings_closed", "update cell.balance set limit_daily = 5 where company_id = 1"],
  ["events that are turned on", "balance_settings_closed", "select cell.turn_events(1, true, now())"],
  ["a deposit", "deposit", "select entry_id from cell.deposit(1, 100, 9007199254740991, 'r', now())"],
  ["an adjustment", "adjust", "select cell.adjust(1, 100, 'r', now(), now())"],
  [
    "a proposed deposit",
    "propose_funding",
    "select cell.propose_funding(1, 'deposit', 100, 'r', false, null, 'ana', now(), now() + interval '1 day')"
  ],
  ["a confirmed deposit", "confirm_funding", "select cell.confirm_funding(1, 77, 'luis', 9007199254740991, now())"],
  ["a rejected deposit", "reject_funding", "select cell.reject_funding(1, 77, 'luis', 'no', now())"],
  [
    "a reversal",
    "begin_reversal",
    "select cell.begin_reversal(1, 1, 'k', gen_random_uuid(), '', 'RV-1', now(), now(), now(), now())"
  ],
  ["a test of a webhook", "test_webhook", "select cell.test_webhook(1, 1, now())"],
  ["a new webhook", "add_webhook", "select cell.add_webhook(1, 2, 'https://a.example', '{}', '', '', now(), 10)"]
]

const rows = [
  "insert into cell.balance (company_id, available, events_on, updated_at) values (1, 500, false, now())",
  `insert into cell.transaction (
    company_id, id, service_id, amount, created_at, day, reversible, status, environment, xid, idempotency_key,
    service_name, service_type, identifier, processed_at, auth_code
  )
  values (1, 1, 1, 100, now(), now(), true, 'SUCCESS', 'development', 'RD-1', 'k1', 's', 'generic', '1', now(), 'a')`,
  `insert into cell.insurance (
    company_id, id, service_id, environment, state, plate, insured, renewal, reference, versions, offered_extras,
    code_hash, code_expires_at, created_at
  )
  values (1, 1, 1, 'development', 'iniciada', 'A1', '', false, 'r', '[]', '[]', '', now(), now())`,
  `insert into cell.webhook (company_id, id, url, event_types, description, state, secret, created_at)
  values (1, 1, 'https://una.example', '{}', '', 'activo', '', now())`,
  `insert into cell.funding_proposal (
    company_id, number, kind, amount, reference, is_repeated, proposed_by, proposed_at, expires_at
  )
  values (1, 77, 'deposit', 500, 'BANCO', false, 'ana', now() - interval '1 hour', now() + interval '1 hour')`
]

const withEvents = "update cell.balance set events_on = true where company_id = 1"
const closed = "select cell.close_companies('{1}', true, now())"

layer(TestDatabase, { excludeTestServices: true })("a closed company", (it) => {
  it.effect.each(cases)("refuses %s, which an open company accepts", ([, trigger, statement]) =>
    Effect.gen(function* () {
      const before = trigger === "test_webhook" ? [...rows, withEvents] : rows
      assert.isNull(yield* refusedBy([...before, statement]))
      assert.include(String(yield* refusedBy([...before, closed, statement])), "company 1 is closed")
    })
  )

  it.effect("has a case for each trigger that refuses its changes", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const triggers = yield* sql<{ name: string }>`
        select t.tgname as name
        from pg_trigger as t
        join pg_class as c on c.oid = t.tgrelid
        where c.relnamespace = 'cell'::regnamespace and t.tgfoid = 'cell.refuse_closed'::regproc
        order by t.tgname`
      const seen = new Set(cases.map(([, trigger]) => trigger).filter((name) => name.endsWith("_closed")))
      assert.deepStrictEqual(
        [...seen].sort(),
        triggers.map(({ name }) => name)
      )
    })
  )

  it.effect("gets no closing of a day until it is open again", () =>
    Effect.gen(function* () {
      const day = "select 1 / cell.end_day(1, cell.local_day(now() - interval '1 day'))::int"
      const entry = `insert into cell.entry (company_id, id, type, amount, balance, reference, created_at)
        values (1, 1, 'deposit', 500, 500, 'opening', now() - interval '1 day')`
      const opened = "select cell.close_companies('{1}', false, now())"
      assert.include(String(yield* refusedBy([...rows, entry, closed, day])), "division by zero")
      assert.isNull(yield* refusedBy([...rows, entry, closed, opened, day]))
    })
  )
})

layer(TestDatabase, { excludeTestServices: true })("a closed cell", (it) => {
  it.effect("gets no new company", () =>
    Effect.gen(function* () {
      const company = `insert into directory.company (legal_name, code, environment, created_at)
        values ('Colmado', 'COL', 'development', now())`
      assert.isNull(yield* refusedBy([company]))
      const closing = "update directory.cell set state = 'closed'"
      assert.strictEqual(yield* refusedBy([closing, company]), "company_cell_open")
    })
  )
})
