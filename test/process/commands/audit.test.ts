import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Data, DateTime, Effect, Layer } from "effect"
import * as ClosingsPostgres from "../../../adapters/postgres/ledger/ClosingsPostgres.ts"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import type { Invariant } from "../../../core/domain/Invariants.ts"
import { dayOf, nextDay } from "../../../core/domain/LocalTime.ts"
import { closeThrough } from "../../../core/workflows/CloseDays.ts"
import { CommandLine } from "../../support/CommandLine.ts"
import { violatedInvariants } from "../../support/Database.ts"
import { insureInEveryState, sellInEveryState } from "../../support/EveryState.ts"
import { setBlockLength } from "../../support/SalesHistory.ts"

const TestLayer = Layer.merge(AuditPostgres.layer, ClosingsPostgres.layer).pipe(Layer.provideMerge(CommandLine.layer))

/** Changes a field of each closing, and seals the changed content. */
const resealed = (field: string): string => `
  with changed as (
    select c.company_id, c.day, jsonb_set(c.content::jsonb, array[f.name], f.value::jsonb)::text as content
    from cell.closing as c
    cross join (values (${field})) as f(name, value)
  )
  update cell.closing as c
  set content = n.content, seal = sha256(convert_to(n.content, 'UTF8'))
  from changed as n
  where n.company_id = c.company_id and n.day = c.day`

/** Adds a confirmed proposal for a deposit, with this amount and entry. */
const confirmedProposal = (amount: string, entry: string) => `
  insert into cell.funding_proposal (
    company_id, number, kind, amount, reference, is_repeated, proposed_by, proposed_at, expires_at, state, decided_by,
    decided_at, entry_id
  )
  select company_id, 1, 'deposit', ${amount}, reference, false, 'ana', created_at, created_at + interval '1 day',
    'confirmed', 'luis', created_at, ${entry}
  from cell.entry
  where type = 'deposit'
  limit 1`

// The invariant -> the forbidden changes, made directly in the tables, that it must detect.
const tampering: ReadonlyArray<readonly [Invariant, ReadonlyArray<string>]> = [
  ["owned", ["update cell.balance set available = available + 1"]],
  ["held", ["update cell.balance set available = available - 1, held = held + 1"]],
  ["held", ["delete from cell.balance"]],
  [
    "available",
    ["alter table cell.balance drop constraint balance_available_check", "update cell.balance set available = -1"]
  ],
  ["consumption", ["update cell.consumption set total = total + 1"]],
  ["consumption", ["delete from cell.consumption"]],
  ["xid", ["drop index cell.transaction_xid", "update cell.transaction set xid = 'RD-same'"]],
  ["sale", ["delete from cell.entry where type = 'sale'"]],
  ["sale", ["update cell.entry set amount = amount - 1 where type = 'sale'"]],
  ["reversal", ["delete from cell.entry where type = 'reversal'"]],
  ["confirmed", ["update cell.reversal set status = 'DENIED' where status = 'CONFIRMED'"]],
  ["confirmed", ["update cell.transaction set status = 'SUCCESS' where status = 'REVERSED'"]],
  [
    "confirmed",
    [
      "drop index cell.reversal_live",
      `insert into cell.reversal (company_id, id, transaction_id, xid, idempotency_key, status, created_at, processed_at)
       select company_id, id + 1000, transaction_id, xid || 'x', 'again', status, created_at, processed_at from cell.reversal`
    ]
  ],
  ["entry", ["update cell.entry set transaction_id = transaction_id + 1000 where type = 'sale'"]],
  ["entry", ["delete from cell.transaction where status = 'SUCCESS'"]],
  ["funded", ["update cell.entry set type = 'adjustment' where type = 'deposit'"]],
  ["funded", [confirmedProposal("amount + 1", "id")]],
  ["funded", [confirmedProposal("amount", "id + 1000")]],
  ["running", ["update cell.entry set balance = balance + 1 where type = 'deposit'"]],
  ["listed", ["delete from cell.transaction where status = 'FAILED'"]],
  ["listed", ["delete from cell.block where list = 'entry'"]],
  ["listed", ["update cell.block set success = success - 1, failed = failed + 1 where success > 0"]],
  ["listed", ["update cell.balance set sales = sales + 1"]],
  ["listed", ["update cell.balance set entries = entries + 1"]],
  ["listed", ["update cell.balance set sales_listed = sales_listed - 1 where sales_listed > 0"]],
  ["listed", ["update cell.balance set entries_listed = entries_listed - 1 where entries_listed > 0"]],
  ["listed", ["update cell.balance set listed_to = listed_to + 1"]],
  ["sublisted", ["delete from cell.sublist_block where sublist = 'service 1'"]],
  ["sublisted", ["update cell.sublist_block set success = success - 1, failed = failed + 1 where success > 0"]],
  ["sublisted", ["update cell.sublist_block set sublist = sublist || 'x'"]],
  ["sublisted", ["update cell.sublist_block set last_id = first_id where last_id > first_id"]],
  ["sublisted", ["update cell.sublist_block set latest = latest - interval '1 minute'"]],
  ["sublisted", ["update cell.transaction set service_id = service_id + 1"]],
  ["insured", ["update cell.insurance set state = 'cobrando' where state = 'fallida'"]],
  ["insured", ["delete from cell.insurance where state = 'emitiendo'"]],
  ["insured", ["update cell.insurance set transaction_id = transaction_id + 1000 where state = 'emitida'"]],
  [
    "insured",
    [
      "alter table cell.insurance drop constraint insurance_sale",
      "update cell.insurance set transaction_id = null where state = 'fallida'"
    ]
  ],
  ["insured", ["update cell.transaction set insurance_id = null where auth_code = 'POL-1'"]],
  [
    "quote",
    [
      "drop index cell.transaction_insurance",
      "update cell.transaction set insurance_id = 1 where insurance_id is not null"
    ]
  ],
  ["policy", ["update cell.insurance set policy_number = 'POL-2' where state = 'emitida'"]],
  ["policy", ["update cell.transaction set status = 'REVERSED' where auth_code = 'POL-1'"]],
  ["policy", ["delete from cell.transaction where auth_code = 'POL-1'"]],
  ["closed", ["update cell.entry set reference = reference || 'x' where type = 'deposit'"]],
  ["closed", ["update cell.entry set created_at = created_at + interval '1 millisecond' where type = 'sale'"]],
  ["closed", ["update cell.entry set created_at = created_at + interval '1 day' where type = 'deposit'"]],
  ["closed", ["delete from cell.entry where type = 'reversal'"]],
  ["closed", ["update cell.transaction set service_id = service_id + 1"]],
  ["closed", ["update cell.transaction set processed_at = processed_at + interval '1 day' where status = 'FAILED'"]],
  [
    "closed",
    ["alter table cell.closing drop constraint closing_sum", resealed("'sales', '{\"count\": 1, \"amount\": 1}'")]
  ],
  ["closed", [resealed("'services', '[]'")]],
  ["closed", [resealed("'entriesDigest', '\"x\"'")]],
  ["sealed", ["alter table cell.closing drop constraint closing_seal", "update cell.closing set seal = sha256('x')"]],
  ["sealed", ["delete from cell.closing as c where c.day = (select min(day) from cell.closing)"]],
  ["sealed", ["alter table cell.closing drop constraint closing_sum", resealed("'opening', '1'")]],
  ["sealed", [resealed("'previousSeal', '\"00\"'")]],
  ["sealed", [resealed("'heldBefore', '{\"count\": 1, \"amount\": 5}'")]],
  ["sealed", ["update cell.balance set open_from = null"]]
]

const brokenNow = Effect.map(violatedInvariants, (all) => all.map(({ invariant }) => invariant))

class Undone extends Data.TaggedError("Undone")<{ readonly broken: ReadonlyArray<Invariant> }> {}

/** The invariants that an audit finds violated after these statements. The statements are then rolled back. */
const brokenBy = Effect.fnUntraced(function* (statements: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  const tamper = Effect.gen(function* () {
    // Triggers are off, because they would reject most of these statements.
    yield* sql`set local session_replication_role = replica`
    yield* Effect.forEach(statements, (statement) => sql.unsafe(statement))
    return yield* new Undone({ broken: yield* brokenNow })
  })
  return yield* Effect.catchTag(sql.withTransaction(tamper), "Undone", ({ broken }) => Effect.succeed(broken))
})

layer(TestLayer, { excludeTestServices: true })("an audit", (it) => {
  it.effect("finds no violation in sales of every state", () =>
    Effect.gen(function* () {
      yield* setBlockLength(2)
      yield* sellInEveryState(7)
      yield* insureInEveryState(8)
      const today = dayOf(yield* DateTime.now)
      assert.strictEqual((yield* closeThrough(nextDay(today))).stored, 4)
      const { answer } = yield* CommandLine
      const { invariantes, ok } = yield* answer("audit")
      assert.isTrue(ok)
      for (const { ejemplos, ok, violaciones } of invariantes) {
        assert.deepStrictEqual([ok, violaciones, ejemplos], [true, 0, []])
      }
    })
  )

  it.effect.each(tampering)("detects a violation of %s after %s", ([invariant, statements]) =>
    Effect.gen(function* () {
      assert.include(yield* brokenBy(statements), invariant)
      assert.deepStrictEqual(yield* brokenNow, [])
    })
  )

  it.effect("reports the violated invariant with examples and exits with code 1", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`update cell.balance set available = available + 1, held = held - 1 where company_id = 7`
      const { run } = yield* CommandLine
      const { code, stderr, stdout } = yield* run("audit", "--json")
      const { invariantes, ok } = JSON.parse(stdout)
      assert.deepStrictEqual([code, stderr, ok], [1, "", false])
      assert.deepStrictEqual(
        invariantes.filter(({ ok }: { ok: boolean }) => !ok),
        [
          {
            invariante: "held",
            descripcion: "the held amount of a company is the sum of its sales in PROCESSING and PENDING",
            ok: false,
            violaciones: 1,
            ejemplos: [{ company_id: 7, held_centavos: 599, sales_centavos: 600, cell: "cell" }]
          }
        ]
      )
      const words = yield* run("audit")
      assert.strictEqual(words.code, 1)
      assert.include(words.stdout, "BROKEN  held")
    })
  )
})
