import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import type { Intent } from "../../../core/domain/Sale.ts"
import { onItsOwn } from "../../support/Concurrency.ts"
import { TestDatabase } from "../../support/Database.ts"
import { ManualClock } from "../../support/InProcessService.ts"
import { intentOf, opened, replica, reserveInOneCall } from "../../support/SalesOnPostgres.ts"

/** A server whose clock shows this time. Returns a function that reserves a sale and returns the result's tag. */
const serverAt = Effect.fnUntraced(function* (iso: string) {
  const time = yield* Layer.build(Layer.fresh(ManualClock.layer))
  yield* Context.get(time, ManualClock).until(iso)
  const ledger = yield* onItsOwn(replica)
  return (intent: Intent) =>
    ledger.reserve(intent).pipe(
      Effect.result,
      Effect.map((reserved) => (Result.isSuccess(reserved) ? reserved.success._tag : reserved.failure._tag)),
      Effect.provide(time)
    )
})

const pesos = 100
let companies = 0

layer(TestDatabase, { excludeTestServices: true })("two servers whose clocks are on both sides of midnight", (it) => {
  // The limit, the clocks of the fast and the slow server, and the result on the slow server. The fast server has used
  // up the limit before.
  it.effect.each([
    ["daily", "2026-03-04T00:01:00", "2026-03-03T23:59:00", "Reservation"],
    ["weekly", "2026-03-04T00:01:00", "2026-03-03T23:59:00", "LimitExceeded"],
    ["monthly", "2026-03-04T00:01:00", "2026-03-03T23:59:00", "LimitExceeded"],
    // The last day of a week or month still belongs to that period.
    ["weekly", "2026-03-08T00:01:00", "2026-03-07T23:59:00", "LimitExceeded"],
    ["monthly", "2026-03-31T00:01:00", "2026-03-30T23:59:00", "LimitExceeded"],
    ["weekly", "2026-03-09T00:01:00", "2026-03-08T23:59:00", "Reservation"],
    ["monthly", "2026-03-09T00:01:00", "2026-03-08T23:59:00", "LimitExceeded"],
    ["weekly", "2026-04-01T00:01:00", "2026-03-31T23:59:00", "LimitExceeded"],
    ["monthly", "2026-04-01T00:01:00", "2026-03-31T23:59:00", "Reservation"]
  ] as const)("share the %s limit at %s and %s: the second sale gets %s", ([period, ahead, behind, answer]) =>
    Effect.gen(function* () {
      const company = ++companies
      const sql = yield* PgClient.PgClient
      yield* opened(yield* replica, company, 10 * pesos)
      yield* sql`
        update cell.balance
        set limit_daily = 0, limit_weekly = 0, limit_monthly = 0
        where company_id = ${company}`
      yield* sql`
        update cell.balance
        set ${sql(`limit_${period}`)} = ${pesos}
        where company_id = ${company}`
      const sellAhead = yield* serverAt(`${ahead}-04:00`)
      const sellBehind = yield* serverAt(`${behind}-04:00`)
      assert.strictEqual(yield* sellAhead(intentOf(company, "ahead", pesos)), "Reservation")
      assert.strictEqual(yield* sellBehind(intentOf(company, "behind", pesos)), answer)
      assert.strictEqual(yield* sellAhead(intentOf(company, "again", pesos)), "LimitExceeded")
    }).pipe(Effect.scoped)
  )
})

let calls = 0

/**
 * Reserves a sale of one peso for each item of `companies`, in one statement. Returns for each item the period of the exceeded
 * limit, or else the tag of the result.
 */
const reserveTogether = (
  companies: ReadonlyArray<number>,
  keys: ReadonlyArray<string> = companies.map(() => `sale ${++calls}`)
) =>
  Effect.map(reserveInOneCall(companies.map((company, n) => intentOf(company, keys[n] ?? "", 100))), (rows) =>
    rows.map(({ answer: { period, tag } }) => period ?? tag)
  )

layer(TestDatabase, { excludeTestServices: true })("reservations in one statement", (it) => {
  // The first company has money for two sales, the second is limited to three, the third has no money.
  it.effect.each([
    ["daily", "diario"],
    ["weekly", "semanal"],
    ["monthly", "mensual"]
  ] as const)("are checked in order and for each company, including the %s limit", ([period, refusal]) =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledger = yield* replica
      const [one, two, three] = [++calls * 10, calls * 10 + 1, calls * 10 + 2]
      yield* opened(ledger, one, 250)
      yield* opened(ledger, two, 10_000)
      yield* sql`update cell.balance set ${sql.literal(`limit_${period}`)} = 300 where company_id = ${two}`
      assert.deepStrictEqual(yield* reserveTogether([one, two, one, three, two, one, two, two, one]), [
        "Reserved",
        "Reserved",
        "Reserved",
        "InsufficientBalance",
        "Reserved",
        "InsufficientBalance",
        "Reserved",
        refusal,
        "InsufficientBalance"
      ])
      assert.deepStrictEqual(yield* reserveTogether([two, one]), [refusal, "InsufficientBalance"])
    }).pipe(Effect.scoped)
  )

  it.effect("with the same key reserve one sale, and no sale if the first request with the key is refused", () =>
    Effect.gen(function* () {
      const ledger = yield* replica
      const [one, two] = [++calls * 10, calls * 10 + 1]
      yield* opened(ledger, one, 100)
      assert.deepStrictEqual(yield* reserveTogether([one, one, two, two], ["a", "a", "b", "b"]), [
        "Reserved",
        "InProgress",
        "InsufficientBalance",
        "Vanished"
      ])
    }).pipe(Effect.scoped)
  )
})
