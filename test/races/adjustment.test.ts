import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, Context, DateTime, Effect, Layer } from "effect"
import * as AdjustmentsPostgres from "../../adapters/postgres/AdjustmentsPostgres.ts"
import * as AuditPostgres from "../../adapters/postgres/AuditPostgres.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import { Adjustments } from "../../core/ports/Adjustments.ts"
import { Audit } from "../../core/ports/Audit.ts"
import { TestDatabase } from "../support/Database.ts"
import { inRounds, onItsOwn, racing } from "../support/Racers.ts"
import { intentOf, opened, replica } from "../support/Sales.ts"

const rounds = 300
const goal = Amount.make(100_000)

const adjustments = Effect.map(Layer.build(Layer.fresh(AdjustmentsPostgres.layer)), (context) =>
  Context.get(context, Adjustments)
)

const TestLayer = AuditPostgres.layer.pipe(Layer.provideMerge(TestDatabase))

layer(TestLayer, { excludeTestServices: true, timeout: "2 minutes" })("eight adjustments at once", (it) => {
  it.effect("of one reference, and sales beside them, move the balance once and lose nothing", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const all = yield* racing(adjustments)
      const ledger = yield* onItsOwn(replica)
      yield* inRounds({ count: rounds, first: 1 }, (company) =>
        Effect.gen(function* () {
          const companyId = CompanyId.make(company)
          yield* opened(ledger, company, 20_000)
          const at = yield* DateTime.now
          const since = DateTime.add(at, { seconds: 1 })
          const sales = Arr.map(["a", "b"], (key) => ledger.reserve(intentOf(company, key, 5_000)))
          const adjusting = all.map(({ adjust }) => adjust({ companyId, goal, reference: "day", since, at }))
          const [moved] = yield* Effect.all(
            [Effect.all(adjusting, { concurrency: "unbounded" }), Effect.all(sales, { concurrency: "unbounded" })],
            { concurrency: "unbounded" }
          )
          // One sale, or both, may have come before it: so much more moves.
          const [once = 0, ...others] = moved.filter((centavos) => centavos !== null)
          assert.deepStrictEqual(others, [])
          assert.include([80_000, 85_000, 90_000], once)
          const [left] = yield* sql`
            select available::int, held::int from cell.balance where company_id = ${company}`
          assert.deepStrictEqual(left, { available: 20_000 + once - 10_000, held: 10_000 })
        })
      )
      const examined = yield* Audit.use((audit) => audit.prove)
      assert.deepStrictEqual(
        examined.filter(({ violations }) => violations > 0),
        []
      )
    }).pipe(Effect.scoped)
  )
})
