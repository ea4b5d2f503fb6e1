import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type { Insured } from "../../core/domain/Insurance.ts"
import { Cedula, Phone, Plate } from "../../core/domain/Person.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import { TestDatabase } from "../support/Database.ts"
import { plan, tow, version } from "../support/InsuranceExample.ts"
import { codeToSend, messageLease, newInsurance, quotedEvent } from "../support/InsuranceStages.ts"
import { insuranceIntent, insurancesReplica, outboxReplica } from "../support/Insuring.ts"
import { opened, replica, reservedOrder } from "../support/Sales.ts"

const insured: Insured = {
  cedula: Cedula.make("40277665544"),
  phone: Phone.make("8297654321"),
  holder: "Canaria Amarilla",
  vehicle: { brand: "Toyota", model: "Corolla", year: 2019, type: "automovil", chassis: "CHASISCANARIO42" }
}
const text = "771177 es el canto del canario"

const secrets = [insured.cedula, insured.phone, "Canaria", "Amarilla", insured.vehicle.chassis, text, "771177", "canto"]

/** Where a text stands in the database: in any column of any table, as it is or as the bytes of it. */
const placesOf = Effect.fnUntraced(function* (wanted: string) {
  const sql = yield* PgClient.PgClient
  const columns = yield* sql<{ place: string; statement: string }>`
    select
      format('%I.%I.%I', table_schema, table_name, column_name) as place,
      format('select count(*)::int as hits from %I.%I where %s', table_schema, table_name, case data_type
        when 'bytea' then format('position(convert_to($1, ''UTF8'') in %I) > 0', column_name)
        else format('position($1 in %I::text) > 0', column_name)
      end) as statement
    from information_schema.columns
    where table_schema not in ('pg_catalog', 'information_schema')`
  assert.isAbove(columns.length, 100)
  const found = yield* Effect.forEach(columns, ({ place, statement }) =>
    Effect.map(sql.unsafe<{ hits: number }>(statement, [wanted]), ([row]) => (row?.hits === 0 ? [] : [place]))
  )
  return found.flat()
})

/** Nothing that a person must not be known by stands anywhere. */
const nothingStands = Effect.fnUntraced(function* (when: string) {
  for (const secret of secrets) assert.isEmpty(yield* placesOf(secret), `${when}: ${secret}`)
})

const sealed = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ status: string; kept: boolean }>`
    select status, sealed is not null as kept from cell.sms order by created_at, id`
  return rows.map(({ kept, status }) => [status, kept])
})

layer(TestDatabase, { excludeTestServices: true })("the database", (it) => {
  it.effect("shows nobody whom an insurance is for, from the first message to the policy", () =>
    Effect.gen(function* () {
      const insurances = yield* insurancesReplica
      const outbox = yield* outboxReplica
      const ledger = yield* replica
      const plate = Plate.make("A765432")
      const id = yield* insurances.nextId
      const first = yield* codeToSend(text)
      const addressed = { ...first, sms: { ...first.sms, message: { ...first.sms.message, to: insured.phone } } }
      const { companyId } = yield* insurances.create(id, yield* newInsurance(7, { plate, insured }), addressed)
      yield* nothingStands("begun")

      // What a gateway says may repeat what it was given.
      const { message } = addressed.sms
      const at = yield* DateTime.now
      const sms = { companyId, insuranceId: id, message }
      yield* outbox.record(sms, { _tag: "Later", at, reason: `+1${insured.phone} is busy: ${text}` }, at)
      yield* nothingStands("to be tried again")
      const [claimed] = yield* outbox.claim({ now: at, lease: messageLease, limit: 10 })
      assert.deepStrictEqual(claimed?.message, message)
      yield* outbox.record(sms, { _tag: "Failed", reason: `${insured.phone} does not exist` }, at)
      yield* nothingStands("failed")
      const [undelivered] = yield* outbox.undelivered(10)
      assert.strictEqual(undelivered?.reason, "829***4321 does not exist")

      const again = yield* codeToSend(text)
      yield* insurances.resend(companyId, id, again)
      const resent = { companyId, insuranceId: id, message: again.sms.message }
      yield* outbox.record(resent, { _tag: "Sent", reference: "SM1" }, at)
      yield* insurances.attempt(companyId, id)
      yield* insurances.advance(companyId, id, { event: "code_verified" })
      yield* insurances.advance(companyId, id, { event: "plan_chosen", version, plan, extras: [tow] })
      const quoted = yield* insurances.advance(companyId, id, yield* quotedEvent(10_000))
      yield* nothingStands("quoted")

      yield* opened(ledger, 7, 20_000)
      const order = yield* reservedOrder(ledger, insuranceIntent(quoted, "key"))
      assert.isTrue(yield* insurances.beginIssue(order))
      const delivery = {
        authCode: "POL-1",
        rechargeToken: null,
        validity: { from: "2026-03-04", until: "2027-03-03" }
      }
      yield* ledger.settle({ order, verdict: Verdict.Confirm({ delivery }), at, notFound: 0 })
      yield* nothingStands("issued")

      assert.deepStrictEqual(yield* sealed, [
        ["failed", false],
        ["sent", false]
      ])
      // What stands in the open is found, so what was not found does not stand there.
      assert.include(yield* placesOf(plate), "cell.insurance.plate")
      assert.include(yield* placesOf("POL-1"), "cell.insurance.policy_number")
    }).pipe(Effect.scoped)
  )
})
