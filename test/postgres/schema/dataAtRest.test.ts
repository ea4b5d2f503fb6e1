import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Effect, Layer, Redacted } from "effect"
import { DataKey } from "../../../adapters/crypto/VaultAead.ts"
import * as Database from "../../../adapters/postgres/connection/Database.ts"
import * as DataKeyPostgres from "../../../adapters/postgres/directory/DataKeyPostgres.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import type { Insured } from "../../../core/domain/Insurance.ts"
import { Cedula, Phone, Plate } from "../../../core/domain/Person.ts"
import { Verdict } from "../../../core/domain/Sale.ts"
import { freshDatabaseUrl, TestDatabase } from "../../support/Database.ts"
import {
  codeToSend,
  messageLease,
  newInsurance,
  plan,
  quotedEvent,
  tow,
  version
} from "../../support/InsuranceExample.ts"
import {
  insuranceIntent,
  insurancesReplica,
  opened,
  outboxReplica,
  replica,
  reservedOrder
} from "../../support/SalesOnPostgres.ts"

const [first, other] = [1, 2].map((byte) => Redacted.make(new Uint8Array(32).fill(byte))) as [
  NonNullable<DataKeyPostgres.OperatorKey>,
  NonNullable<DataKeyPostgres.OperatorKey>
]

/** Starts a process. Returns its data key, or the reason why it does not start. */
const started = (operatorKey: DataKeyPostgres.OperatorKey) =>
  DataKey.pipe(
    Effect.provide(Layer.fresh(DataKeyPostgres.layer(operatorKey)).pipe(Layer.provide(NodeCrypto.layer))),
    Effect.map((key) => ({ bytes: Buffer.from(Redacted.value(key.bytes)).toString("hex"), protected: key.protected })),
    Effect.catchTag("DataKeyUnavailable", ({ message }) => Effect.succeed(message))
  )

const inspected = (operatorKey: DataKeyPostgres.OperatorKey) =>
  DataKeyPostgres.inspect(operatorKey).pipe(
    Effect.provide(NodeCrypto.layer),
    Effect.catchTag("DataKeyUnavailable", ({ message }) => Effect.succeed(message))
  )

const rows = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return yield* sql<{ wrapped: string; protected: boolean }>`
    select encode(wrapped, 'hex') as wrapped, protected from directory.data_key`
})

const onFreshDatabase = <A, E>(test: Effect.Effect<A, E, PgClient.PgClient>) =>
  Effect.gen(function* () {
    const url = yield* freshDatabaseUrl
    return yield* Effect.provide(test, Database.layer({ url: Redacted.make(url), connections_max: 4 }))
  })

const absent =
  "DATA_KEY is not set, but the personal data in this database is encrypted with it: set it to its earlier value"
const wrong = "DATA_KEY is not the key that encrypts the personal data in this database: set it to its earlier value"

describe("the data key", () => {
  it.live("is created once, and stored unencrypted without DATA_KEY", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        assert.strictEqual(yield* inspected(null), "plain")
        assert.isEmpty(yield* rows)
        const made = yield* started(null)
        assert(typeof made === "object")
        assert.isFalse(made.protected)
        assert.deepStrictEqual(yield* started(null), made)
        assert.deepStrictEqual(yield* rows, [{ wrapped: made.bytes, protected: false }])
        assert.strictEqual(yield* inspected(null), "plain")
      })
    )
  )

  it.live("differs between databases", () =>
    Effect.gen(function* () {
      const [one, another] = [yield* onFreshDatabase(started(null)), yield* onFreshDatabase(started(null))]
      assert.notDeepEqual(one, another)
    })
  )

  it.live("is never stored unencrypted when DATA_KEY is set from the beginning", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        assert.strictEqual(yield* inspected(first), "protected")
        const made = yield* started(first)
        assert(typeof made === "object" && made.protected)
        const [row] = yield* rows
        assert.isTrue(row?.protected)
        assert.notInclude(row?.wrapped, made.bytes)
        assert.deepStrictEqual(yield* started(first), made)
      })
    )
  )

  it.live("stays the same when DATA_KEY is set later, and then requires DATA_KEY", () =>
    onFreshDatabase(
      Effect.gen(function* () {
        const before = yield* started(null)
        assert.strictEqual(yield* inspected(first), "protected")
        const after = yield* started(first)
        assert(typeof before === "object" && typeof after === "object")
        assert.deepStrictEqual(after, { bytes: before.bytes, protected: true })
        const [row] = yield* rows
        assert.notInclude(row?.wrapped, before.bytes)
        for (const start of [started, inspected]) {
          assert.strictEqual(yield* start(null), absent)
          assert.strictEqual(yield* start(other), wrong)
        }
        assert.deepStrictEqual(yield* started(first), after)
      })
    )
  )

  const rounds = Arr.range(1, 5)
  const startedAtOnce = (keys: ReadonlyArray<DataKeyPostgres.OperatorKey>) =>
    onFreshDatabase(Effect.forEach(keys, started, { concurrency: "unbounded" }))

  it.live.each([
    ["no DATA_KEY", null, false],
    ["the same DATA_KEY", first, true]
  ] as const)("is the same for eight processes that start concurrently with %s", ([, key, kept]) =>
    Effect.gen(function* () {
      for (const _ of rounds) {
        const [one, ...others] = yield* startedAtOnce(Arr.makeBy(8, () => key))
        assert.deepInclude(one, { protected: kept })
        for (const another of others) assert.deepStrictEqual(another, one)
      }
    })
  )

  it.live("is encrypted when one of two processes that start concurrently has DATA_KEY", () =>
    Effect.gen(function* () {
      for (const _ of rounds) {
        const [without, having] = yield* startedAtOnce([null, first])
        assert.deepInclude(having, { protected: true })
        assert(typeof having === "object")
        // The process without DATA_KEY either starts first or fails because DATA_KEY is missing.
        assert.include([absent, having.bytes], typeof without === "object" ? without.bytes : without)
      }
    })
  )

  it.live("is encrypted by one of two processes with different DATA_KEYs, and the other process does not start", () =>
    Effect.gen(function* () {
      for (const _ of rounds) {
        const found = yield* startedAtOnce([first, other])
        const [one, refused] = found.toSorted((left) => (typeof left === "object" ? -1 : 1))
        assert.deepInclude(one, { protected: true })
        assert.strictEqual(refused, wrong)
      }
    })
  )
})

const insured: Insured = {
  cedula: Cedula.make("40277665544"),
  phone: Phone.make("8297654321"),
  holder: "Canaria Amarilla",
  vehicle: { brand: "Toyota", model: "Corolla", year: 2019, type: "automovil", chassis: "CHASISCANARIO42" }
}
const text = "771177 es el canto del canario"

const secrets = [insured.cedula, insured.phone, "Canaria", "Amarilla", insured.vehicle.chassis, text, "771177", "canto"]

/** The columns of the database that contain a text, as text or as bytes. */
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

/** Asserts that no column contains the insured person's data or the text of the SMS. */
const containsNoSecret = Effect.fnUntraced(function* (when: string) {
  for (const secret of secrets) assert.isEmpty(yield* placesOf(secret), `${when}: ${secret}`)
})

const sealed = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ status: string; kept: boolean }>`
    select status, sealed is not null as kept from cell.sms order by created_at, id`
  return rows.map(({ kept, status }) => [status, kept])
})

layer(TestDatabase, { excludeTestServices: true })("the database", (it) => {
  it.effect("contains no readable data of an insured person, from the first SMS to the policy", () =>
    Effect.gen(function* () {
      const insurances = yield* insurancesReplica
      const outbox = yield* outboxReplica
      const ledger = yield* replica
      const plate = Plate.make("A765432")
      const id = yield* insurances.nextId(CompanyId.make(7))
      const first = yield* codeToSend(text)
      const addressed = { ...first, sms: { ...first.sms, message: { ...first.sms.message, to: insured.phone } } }
      const { companyId } = yield* insurances.create(id, yield* newInsurance(7, { plate, insured }), addressed)
      yield* containsNoSecret("begun")

      // The response of a gateway can contain the phone number and the text.
      const { message } = addressed.sms
      const at = yield* DateTime.now
      const sms = { companyId, insuranceId: id, message }
      yield* outbox.record(sms, { _tag: "Later", at, reason: `+1${insured.phone} is busy: ${text}` }, at)
      yield* containsNoSecret("to be retried")
      const [claimed] = yield* outbox.claim({ now: at, lease: messageLease, limit: 10 })
      assert.deepStrictEqual(claimed?.message, message)
      yield* outbox.record(sms, { _tag: "Failed", reason: `${insured.phone} does not exist` }, at)
      yield* containsNoSecret("failed")
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
      yield* containsNoSecret("quoted")

      yield* opened(ledger, 7, 20_000)
      const order = yield* reservedOrder(ledger, insuranceIntent(quoted, "key"))
      assert.isTrue(yield* insurances.beginIssue(order))
      const delivery = {
        authCode: "POL-1",
        rechargeToken: null,
        validity: { from: "2026-03-04", until: "2027-03-03" }
      }
      yield* ledger.settle({ order, verdict: Verdict.Confirm({ delivery }), at, notFound: 0 })
      yield* containsNoSecret("issued")

      assert.deepStrictEqual(yield* sealed, [
        ["failed", false],
        ["sent", false]
      ])
      // The same search finds unencrypted text, so it would have found unencrypted personal data above.
      assert.include(yield* placesOf(plate), "cell.insurance.plate")
      assert.include(yield* placesOf("POL-1"), "cell.insurance.policy_number")
    }).pipe(Effect.scoped)
  )
})
