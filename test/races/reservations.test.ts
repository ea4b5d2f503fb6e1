import { PgClient, PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { reserveRow } from "../../adapters/postgres/ReserveRow.ts"
import { periodsAt } from "../../core/domain/LocalTime.ts"
import { TestDatabase } from "../support/Database.ts"
import { intentOf, opened, replica } from "../support/Sales.ts"

const owner = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`

let calls = 0

/** Reserves a peso for each of these companies, under these keys or new ones, as one group: how each was answered. */
const reserveTogether = Effect.fnUntraced(function* (
  companies: ReadonlyArray<number>,
  keys: ReadonlyArray<string> = companies.map(() => `sale ${++calls}`)
) {
  const sql = yield* PgClient.PgClient
  const at = yield* DateTime.now
  const { day, month, week } = periodsAt(at)
  const instant = DateTime.formatIso(at)
  const members = companies.map((company, n) =>
    reserveRow({ intent: intentOf(company, keys[n] ?? "", 100), owner: owner(++calls) }, n)
  )
  const rows = yield* sql<{ tag: string }>`
    select coalesce(answer ->> 'period', answer ->> 'tag') as tag
    from cell.reserve(
      ${PgTypes.jsonb(members)}, ${instant}::timestamptz, ${day}::date, ${week}::date, ${month}::date,
      ${instant}::timestamptz, ${instant}::timestamptz, ${instant}::timestamptz
    )
    order by n`
  return rows.map(({ tag }) => tag)
})

layer(TestDatabase, { excludeTestServices: true })("reservations that share a statement", (it) => {
  // Company 1 may sell for two pesos, company 2 for as many as the limit says, company 3 has nothing.
  it.effect.each([
    ["daily", "diario"],
    ["weekly", "semanal"],
    ["monthly", "mensual"]
  ] as const)("are judged one after the other, each company by itself: its %s limit", ([period, told]) =>
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
        told,
        "InsufficientBalance"
      ])
      assert.deepStrictEqual(yield* reserveTogether([two, one]), [told, "InsufficientBalance"])
    }).pipe(Effect.scoped)
  )

  it.effect("under one key are one sale, and none that has its key from a sale that was refused", () =>
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
