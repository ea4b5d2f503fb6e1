import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import type { Intent } from "../../core/domain/Sale.ts"
import { TestDatabase } from "../support/Database.ts"
import { ManualClock } from "../support/InProcessService.ts"
import { onItsOwn } from "../support/Racers.ts"
import { intentOf, opened, replica } from "../support/Sales.ts"

/** How a server whose clock says so answers a reservation. */
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

layer(TestDatabase, { excludeTestServices: true })("two servers of which one has passed midnight", (it) => {
  // Which limit is as high as one sale; the clocks -> what the one behind answers when the other has sold.
  it.effect.each([
    ["daily", "2026-03-04T00:01:00", "2026-03-03T23:59:00", "Reservation"],
    ["weekly", "2026-03-04T00:01:00", "2026-03-03T23:59:00", "LimitExceeded"],
    ["monthly", "2026-03-04T00:01:00", "2026-03-03T23:59:00", "LimitExceeded"],
    // The last day of a week, and of a month, is one of its own.
    ["weekly", "2026-03-08T00:01:00", "2026-03-07T23:59:00", "LimitExceeded"],
    ["monthly", "2026-03-31T00:01:00", "2026-03-30T23:59:00", "LimitExceeded"],
    ["weekly", "2026-03-09T00:01:00", "2026-03-08T23:59:00", "Reservation"],
    ["monthly", "2026-03-09T00:01:00", "2026-03-08T23:59:00", "LimitExceeded"],
    ["weekly", "2026-04-01T00:01:00", "2026-03-31T23:59:00", "LimitExceeded"],
    ["monthly", "2026-04-01T00:01:00", "2026-03-31T23:59:00", "Reservation"]
  ] as const)("sell no more than one: the %s limit, at %s and %s: %s", ([period, ahead, behind, answer]) =>
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
