import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, Context, DateTime, Duration, Effect, Fiber, Layer, Ref, Result, Schedule } from "effect"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import { ReversalVerdict } from "../../core/domain/Reversal.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import { Deliveries } from "../../core/ports/Deliveries.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { Reversals } from "../../core/ports/Reversals.ts"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { Webhooks } from "../../core/ports/Webhooks.ts"
import { violatedInvariants } from "../support/Database.ts"
import { webhookOf } from "../support/DeliveriesOnPostgres.ts"
import { intentOf, opened, reversalOf } from "../support/SalesOnPostgres.ts"
import { MovesOnThreeCells, move, rowsOf } from "./Moves.ts"
import { portsOfCells } from "./ThreeCells.ts"
import { delivered } from "./Trade.ts"

/** The ports of another server, with caches of its own. */
const anotherServer = Layer.build(Layer.fresh(portsOfCells))

/** Writes an outcome until it is written, as a server does. */
const untilWritten = <A, E, R>(write: Effect.Effect<A, E, R>) =>
  Effect.retry(Effect.sandbox(write), Schedule.spaced("20 millis"))

/** Repeats a call until the moves have ended. Returns the results of the calls. */
const whileMoving = Effect.fnUntraced(function* <A, R>(
  moves: Fiber.Fiber<unknown, unknown>,
  call: (round: number) => Effect.Effect<A, never, R>
) {
  const results: Array<A> = []
  for (let round = 1; moves.pollUnsafe() === undefined; round++) results.push(yield* call(round))
  return results
})

/** Moves a company through the cells and back. */
const tour = (company: number) =>
  Effect.forEach(["norte", "sur", "cell", "norte"], (cell) => move(company, cell), { discard: true })

const numbersOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<Record<string, number>>`
    select
      b.available::int as available,
      b.held::int as held,
      (select count(*)::int from norte.transaction as t where t.company_id = b.company_id) as sales,
      (select count(*)::int from norte.transaction as t where t.company_id = b.company_id and t.status = 'SUCCESS') as sold,
      (select count(*)::int from norte.entry as e where e.company_id = b.company_id and e.type = 'deposit') as deposits,
      (select count(*)::int from norte.idempotency as k where k.company_id = b.company_id) as keys
    from norte.balance as b
    where b.company_id = ${company}`
  return row
})

layer(MovesOnThreeCells, { excludeTestServices: true, timeout: "5 minutes" })(
  "a company that moves meanwhile",
  (it) => {
    it.effect("has each sale once, which was either refused or settled", () =>
      Effect.gen(function* () {
        yield* opened(yield* Ledger, 300, 100_000_00)
        const servers = yield* Effect.all([anotherServer, anotherServer])
        const moves = yield* Effect.forkChild(tour(300))
        const results = yield* Effect.forEach(
          servers,
          (server, index) =>
            whileMoving(moves, (round) =>
              Effect.gen(function* () {
                const ledger = Context.get(server, Ledger)
                const key = `s-${index}-${round}`
                const reserved = yield* Effect.result(ledger.reserve(intentOf(300, key, 100)))
                if (Result.isFailure(reserved)) return reserved.failure._tag
                if (reserved.success._tag !== "Reservation") return reserved.success._tag
                const { order } = reserved.success
                const at = yield* DateTime.now
                const settled = yield* Effect.orDie(
                  untilWritten(ledger.settle({ order, verdict: delivered, at, notFound: 0 }))
                )
                return settled.won ? "sold" : "lost"
              })
            ),
          { concurrency: "unbounded" }
        )
        yield* Fiber.join(moves)
        const tags = results.flat()
        assert.sameMembers([...new Set([...tags, "CompanyClosed", "sold"])], ["CompanyClosed", "sold"])
        const sold = tags.filter((tag) => tag === "sold").length
        assert.deepStrictEqual(yield* numbersOf(300), {
          available: 100_000_00 - 100 * sold,
          held: 0,
          sales: sold,
          sold,
          deposits: 1,
          keys: sold
        })
        assert.deepStrictEqual(yield* violatedInvariants, [])
      })
    )

    it.effect("has each deposit once, and each event of a webhook in order", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* opened(yield* Ledger, 303, 1_000)
        yield* webhookOf({ deliveries: yield* Deliveries, webhooks: yield* Webhooks }, 303)
        const server = yield* anotherServer
        const moves = yield* Effect.forkChild(tour(303))
        const results = yield* whileMoving(moves, (round) =>
          Effect.gen(function* () {
            const at = yield* DateTime.now
            const deposit = { companyId: CompanyId.make(303), amount: Amount.make(500), reference: `D-${round}`, at }
            const exit = yield* Effect.exit(Context.get(server, Ledger).deposit(deposit))
            return exit._tag
          })
        )
        yield* Fiber.join(moves)
        const deposits = results.filter((tag) => tag === "Success").length
        assert.deepInclude(yield* numbersOf(303), { available: 1_000 + 500 * deposits, deposits: deposits + 1 })
        const events = yield* sql<{ sequence: number }>`
        select sequence::int from norte.event where company_id = 303 order by sequence`
        assert.deepStrictEqual(
          events.map(({ sequence }) => sequence),
          Arr.range(1, deposits)
        )
        const waiting = yield* sql`select from norte.delivery where company_id = 303`
        assert.lengthOf(waiting, deposits)
        assert.deepStrictEqual(yield* violatedInvariants, [])
      })
    )

    it.effect("has its pending sales and reversals settled once by the recovery of any server", () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* opened(ledger, 306, 100_000)
        const reversals = yield* Reversals
        for (let number = 1; number <= 10; number++) {
          const reserved = yield* ledger.reserve({ ...intentOf(306, `k${number}`, 100), reversible: true })
          if (reserved._tag !== "Reservation") return assert.fail(reserved._tag)
          const { order } = reserved
          const verdict = number % 2 === 0 ? delivered : Verdict.Hold()
          yield* ledger.settle({ order, verdict, at: yield* DateTime.now, notFound: 0 })
          if (number % 2 !== 0) continue
          const begun = yield* reversals.begin(reversalOf(order, `r${number}`))
          if (begun._tag !== "Begun") return assert.fail(begun._tag)
          const held = {
            unresolved: begun.unresolved,
            verdict: ReversalVerdict.Hold(),
            at: yield* DateTime.now,
            notFound: 0
          }
          yield* reversals.settle(held)
        }
        const won = yield* Ref.make(0)
        const servers = yield* Effect.all([anotherServer, anotherServer])
        const moves = yield* Effect.forkChild(tour(306))
        yield* Effect.forEach(
          servers,
          (server) =>
            whileMoving(moves, () =>
              Effect.gen(function* () {
                const now = DateTime.add(yield* DateTime.now, { hours: 1 })
                const wanted = { began: now, now, lease: Duration.millis(1), limit: 2, which: "all" } as const
                for (const { order } of yield* Context.get(server, Unresolved).claim(wanted)) {
                  const settlement = { order, verdict: delivered, at: yield* DateTime.now, notFound: 0 }
                  // A recovery that cannot write an answer asks again later.
                  const settled = yield* Effect.exit(Context.get(server, Ledger).settle(settlement))
                  if (settled._tag === "Success" && settled.value.won) yield* Ref.update(won, (n) => n + 1)
                }
                const port = Context.get(server, Reversals)
                for (const { unresolved } of yield* port.claim(wanted)) {
                  const at = yield* DateTime.now
                  const settlement = { unresolved, verdict: ReversalVerdict.Confirm(), at, notFound: 0 }
                  const settled = yield* Effect.exit(port.settle(settlement))
                  if (settled._tag === "Success" && settled.value.won) yield* Ref.update(won, (n) => n + 1)
                }
              })
            ),
          { concurrency: "unbounded", discard: true }
        )
        yield* Fiber.join(moves)
        const sql = yield* PgClient.PgClient
        const [left] = yield* sql<{ n: number }>`
        select
          (
            (select count(*) from norte.transaction where company_id = 306 and status in ('PENDING', 'PROCESSING'))
            + (select count(*) from norte.reversal where company_id = 306 and status in ('PENDING', 'PROCESSING'))
          )::int as n`
        assert.strictEqual((yield* Ref.get(won)) + (left?.n ?? 0), 10)
        assert.deepStrictEqual(yield* violatedInvariants, [])
      })
    )

    it.effect("ends in one cell when several operators move it at once", () =>
      Effect.gen(function* () {
        yield* opened(yield* Ledger, 309, 1_000)
        for (let round = 1; round <= 4; round++) {
          const results = yield* Effect.forEach(
            ["norte", "sur", "norte", "cell"],
            (cell) => Effect.result(move(309, cell)),
            { concurrency: "unbounded" }
          )
          const refused = results.filter(Result.isFailure).map(({ failure }) => failure._tag)
          assert.isEmpty(refused.filter((tag) => tag !== "CompanyMoving" && tag !== "CellNotOpen"))
          const homes = yield* Effect.filter(["cell", "norte", "sur"], (cell) =>
            Effect.map(rowsOf(cell, 309), (rows) => Object.keys(rows).length > 0)
          )
          assert.lengthOf(homes, 1)
          assert.deepStrictEqual(yield* violatedInvariants, [])
          // Ends a move that an operator could not end.
          yield* Effect.ignore(move(309, homes[0] ?? "cell"))
        }
      })
    )
  }
)
