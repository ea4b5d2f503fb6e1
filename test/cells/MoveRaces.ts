import { PgClient } from "@effect/sql-pg"
import { assert, type Vitest } from "@effect/vitest"
import { Array as Arr, Context, DateTime, Duration, Effect, Exit, Fiber, Layer, Option, Ref, Schedule } from "effect"
import type { DatabaseUnavailable } from "../../adapters/postgres/connection/Database.ts"
import { failureOf } from "../../core/domain/ErrorCatalogue.ts"
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
import type { MovesOnThreeCells } from "./Moves.ts"
import { portsOfCells } from "./ThreeCells.ts"
import { delivered } from "./Trade.ts"

/** The ports of another server, with caches of its own. */
const anotherServer = Layer.build(Layer.fresh(portsOfCells))

/** Retries the write of an outcome until it succeeds, as a server does. */
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

type Ports = Layer.Success<typeof MovesOnThreeCells>

/** The cells in which races take place. */
interface Course<R> {
  /** Three companies, one for each race. */
  readonly companies: readonly [number, number, number]
  /** Moves a company or its cell several times. At the end the company is in the cell `last`. */
  readonly moveAround: (company: number) => Effect.Effect<void, unknown, R>
  readonly last: string
  /** Runs a read on the node of the last cell. */
  readonly atEnd: <A, E>(read: Effect.Effect<A, E, PgClient.PgClient>) => Effect.Effect<A, E | DatabaseUnavailable, R>
}

const numbersOf = (company: number, cell: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [row] = yield* sql<Record<string, number>>`
    select
      b.available::int as available,
      b.held::int as held,
      (select count(*)::int from ${sql(`${cell}.transaction`)} as t where t.company_id = b.company_id) as sales,
      (select count(*)::int from ${sql(`${cell}.transaction`)} as t where t.company_id = b.company_id and t.status = 'SUCCESS') as sold,
      (select count(*)::int from ${sql(`${cell}.entry`)} as e where e.company_id = b.company_id and e.type = 'deposit') as deposits,
      (select count(*)::int from ${sql(`${cell}.idempotency`)} as k where k.company_id = b.company_id) as keys
    from ${sql(`${cell}.balance`)} as b
    where b.company_id = ${company}`
    return row
  })

const rowsWith = <Row extends object>(query: string) => PgClient.PgClient.use((sql) => sql.unsafe<Row>(query))

/** The tests of a company that moves around while servers work for it. */
export const testRaces = <Extra>(
  it: Vitest.MethodsNonLive<Ports | Extra>,
  { atEnd, companies, last, moveAround }: Course<Ports | Extra>
) => {
  const [selling, depositing, recovering] = companies

  it.effect("makes sales, each of which is either refused or settled once", () =>
    Effect.gen(function* () {
      yield* opened(yield* Ledger, selling, 100_000_00)
      const servers = yield* Effect.all([anotherServer, anotherServer])
      const moves = yield* Effect.forkChild(moveAround(selling))
      const results = yield* Effect.forEach(
        servers,
        (server, index) =>
          whileMoving(moves, (round) =>
            Effect.gen(function* () {
              const ledger = Context.get(server, Ledger)
              const key = `s-${index}-${round}`
              const reserved = yield* Effect.exit(ledger.reserve(intentOf(selling, key, 100)))
              if (Exit.isFailure(reserved))
                return Option.match(failureOf(reserved.cause), {
                  // The failure has no typed refusal if the server still calls the node that the cell has left.
                  onNone: () => "CompanyClosed",
                  onSome: ({ _tag }) => _tag
                })
              if (reserved.value._tag !== "Reservation") return reserved.value._tag
              const { order } = reserved.value
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
      assert.deepStrictEqual(yield* atEnd(numbersOf(selling, last)), {
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

  it.effect("gets each deposit once, and one event for each deposit, in order", () =>
    Effect.gen(function* () {
      yield* opened(yield* Ledger, depositing, 1_000)
      yield* webhookOf({ deliveries: yield* Deliveries, webhooks: yield* Webhooks }, depositing)
      const server = yield* anotherServer
      const moves = yield* Effect.forkChild(moveAround(depositing))
      const results = yield* whileMoving(moves, (round) =>
        Effect.gen(function* () {
          const at = yield* DateTime.now
          const deposit = {
            companyId: CompanyId.make(depositing),
            amount: Amount.make(500),
            reference: `D-${round}`,
            at
          }
          const exit = yield* Effect.exit(Context.get(server, Ledger).deposit(deposit))
          return exit._tag
        })
      )
      yield* Fiber.join(moves)
      const deposits = results.filter((tag) => tag === "Success").length
      assert.deepInclude(yield* atEnd(numbersOf(depositing, last)), {
        available: 1_000 + 500 * deposits,
        deposits: deposits + 1
      })
      const events = yield* atEnd(
        rowsWith<{ sequence: number }>(
          `select sequence::int from ${last}.event where company_id = ${depositing} order by sequence`
        )
      )
      assert.deepStrictEqual(
        events.map(({ sequence }) => sequence),
        Arr.range(1, deposits)
      )
      const waiting = yield* atEnd(rowsWith(`select from ${last}.delivery where company_id = ${depositing}`))
      assert.lengthOf(waiting, deposits)
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )

  it.effect("is recovered by two servers, which together settle each pending sale and reversal once", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      yield* opened(ledger, recovering, 100_000)
      const reversals = yield* Reversals
      for (let number = 1; number <= 10; number++) {
        const reserved = yield* ledger.reserve({ ...intentOf(recovering, `k${number}`, 100), reversible: true })
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
      const moves = yield* Effect.forkChild(moveAround(recovering))
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
      const [left] = yield* atEnd(
        rowsWith<{ n: number }>(`
        select
          (
            (select count(*) from ${last}.transaction where company_id = ${recovering} and status in ('PENDING', 'PROCESSING'))
            + (select count(*) from ${last}.reversal where company_id = ${recovering} and status in ('PENDING', 'PROCESSING'))
          )::int as n`)
      )
      assert.strictEqual((yield* Ref.get(won)) + (left?.n ?? 0), 10)
      assert.deepStrictEqual(yield* violatedInvariants, [])
    })
  )
}
