import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Data, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlError } from "effect/sql/SqlError"
import * as Cells from "../../adapters/postgres/cells/Cells.ts"
import * as LedgerOfCells from "../../adapters/postgres/cells/LedgerOfCells.ts"
import * as AuditPostgres from "../../adapters/postgres/reads/AuditPostgres.ts"
import type { Invariant } from "../../core/domain/Invariants.ts"
import { CellFilter } from "../../core/ports/CellFilter.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { run } from "../postgres/reads/PanoramaData.ts"
import { violatedInvariants } from "../support/Database.ts"
import { intentOf, opened, reservedOrder } from "../support/SalesOnPostgres.ts"
import { ThreeCells } from "./ThreeCells.ts"

const sold = Effect.gen(function* () {
  const ledger = yield* Ledger
  for (const company of [300, 301, 302]) {
    yield* opened(ledger, company, 100_000)
    yield* reservedOrder(ledger, intentOf(company, "venta", 100))
  }
})

const TestLayer = Layer.provideMerge(
  Layer.effectDiscard(sold),
  Layer.merge(LedgerOfCells.layer, AuditPostgres.layer).pipe(
    Layer.provide([Cells.layer, SecureRandom.layerWebCrypto]),
    Layer.provideMerge(ThreeCells)
  )
)

class Undo extends Data.TaggedError("Undo") {}

/** Runs a test in a transaction that is rolled back. Triggers of tables are off in it. */
const undone = <R>(test: Effect.Effect<void, SqlError, R>) =>
  PgClient.PgClient.use((sql) =>
    sql.withTransaction(
      sql`set local session_replication_role = replica`.pipe(Effect.andThen(test), Effect.andThen(new Undo()))
    )
  ).pipe(Effect.catchTag("Undo", () => Effect.void))

// A change that no database function makes, the invariant that it violates, and the offender that the audit names.
const violations: ReadonlyArray<readonly [change: string, invariant: Invariant, offender: Record<string, unknown>]> = [
  ["update norte.balance set available = available + 1", "owned", { company_id: 301, cell: "norte" }],
  ["update sur.balance set available = available - 1, held = held + 1", "held", { company_id: 302, cell: "sur" }],
  [
    "update directory.company set cell = 'sur' where id = 301",
    "located",
    { company_id: 301, cell: "norte", own_cell: "sur" }
  ],
  [
    "insert into sur.consumption (company_id, day, total) values (300, '2026-03-10', 0)",
    "located",
    { company_id: 300, cell: "sur", own_cell: "cell", table: "consumption" }
  ],
  [
    "insert into norte.balance (company_id, updated_at) values (99, 'epoch')",
    "located",
    { company_id: 99, cell: "norte", own_cell: "cell" }
  ],
  [
    "update sur.transaction set id = (select id from norte.transaction)",
    "assigned",
    { table: "transaction", cell: "norte", other_cell: "sur", company_id: 301, other_company_id: 302 }
  ],
  [
    ["sur", "cell"]
      .map(
        (cell) =>
          `insert into ${cell}.webhook (company_id, id, url, event_types, description, state, secret, created_at)
           select company_id, 7, 'https://a.example', '{}', '', 'activo', '', 'epoch' from ${cell}.balance`
      )
      .join("; "),
    "assigned",
    { table: "webhook", id: 7, cell: "cell", other_cell: "sur" }
  ]
]

layer(TestLayer)("an audit of three cells", (it) => {
  it.effect("finds nothing after sales in each cell", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect.each(violations)("finds %s as a violation of %s, and names the cell", ([change, invariant, offender]) =>
    undone(
      Effect.gen(function* () {
        for (const each of change.split("; ")) yield* run(each)
        const found = (yield* violatedInvariants).find((each) => each.invariant === invariant)
        assert.include(found?.offenders[0], offender)
      })
    )
  )

  it.effect("reads only one cell if it is limited to this cell", () =>
    undone(
      Effect.gen(function* () {
        yield* run("update norte.balance set available = available + 1")
        assert.deepStrictEqual(yield* Effect.provideService(violatedInvariants, CellFilter, "sur"), [])
        const [found] = yield* Effect.provideService(violatedInvariants, CellFilter, "norte")
        assert.strictEqual(found?.invariant, "owned")
      })
    )
  )
})
