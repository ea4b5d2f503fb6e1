import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestDatabase } from "../../support/Database.ts"
import { guardsIn, isOfEvents, refusedBy, rowsOf } from "../../support/SchemaGuards.ts"

// One valid row of each table. A case changes columns of the row.

const at = "'epoch'"
const event = rowsOf("cell.event", {
  company_id: 1,
  sequence: 1,
  type: "'transaction.failed'",
  created_at: at,
  transaction_id: 1
})
const webhook = rowsOf("cell.webhook", {
  company_id: 1,
  id: 1,
  url: "'https://example.com'",
  event_types: "'{}'",
  description: "''",
  state: "'activo'",
  secret: "'\\x00'",
  created_at: at
})
const delivery = rowsOf("cell.delivery", { company_id: 1, webhook_id: 1, sequence: 1, due_at: at, created_at: at })

const refusals: ReadonlyArray<readonly [what: string, guard: string, statements: ReadonlyArray<string>]> = [
  ["an event of an unknown type", "event_type_check", [event({ type: "'gift'" })]],
  ["an event of a sale without a sale", "event_of_sale", [event({ transaction_id: "null" })]],
  ["an event of a sale that names a reversal", "event_of_reversal", [event({ reversal_id: 1 })]],
  ["a denied reversal without a reversal", "event_of_reversal", [event({ type: "'reversal.failed'" })]],
  ["an event of an insurance without an insurance", "event_of_insurance", [event({ type: "'insurance.issued'" })]],
  ["a deposit without an entry", "event_of_entry", [event({ type: "'balance.deposited'" })]],
  ["a low balance without its alert value", "event_of_balance", [event({ type: "'balance.low'" })]],
  ["a test event without a webhook", "event_of_webhook", [event({ type: "'webhook.test'" })]],
  ["a change of an event", "event_immutable", [event(), "update cell.event set transaction_id = 2"]],
  ["the truncation of the events", "event_immutable", ["truncate cell.event"]],
  ["a webhook without a URL", "webhook_url_check", [webhook({ url: "''" })]],
  ["a URL that is too long", "webhook_url_check", [webhook({ url: "repeat('u', 2049)" })]],
  ["an unknown state of a webhook", "webhook_state_check", [webhook({ state: "'x'" })]],
  ["a previous secret without an end time", "webhook_previous_secret", [webhook({ previous_secret: "'\\x00'" })]],
  ["an unknown state of a delivery", "delivery_state_check", [delivery({ state: "'x'" })]],
  ["a negative number of attempts", "delivery_attempts_check", [delivery({ attempts: -1 })]]
]

layer(TestDatabase)("the tables of events", (it) => {
  it.effect.each(refusals)("reject %s", ([, guard, statements]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusedBy(statements), guard)
    })
  )

  it.effect("accept the rows that the cases change", () =>
    Effect.gen(function* () {
      assert.isNull(yield* refusedBy([event(), webhook(), delivery()]))
    })
  )

  it.effect("have a case above for every constraint", () =>
    Effect.gen(function* () {
      const seen = new Set(refusals.map(([, guard]) => guard))
      assert.deepStrictEqual([...seen].sort(), yield* guardsIn("cell", isOfEvents))
    })
  )
})
