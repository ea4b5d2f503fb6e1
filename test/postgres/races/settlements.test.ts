import { PgClient, PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, Result } from "effect"
import { settleRow } from "../../../adapters/postgres/ledger/LedgerRows.ts"
import { Identifier, TransactionId } from "../../../core/domain/Ids.ts"
import { ReversalVerdict } from "../../../core/domain/Reversal.ts"
import { type Delivery, type Order, outcomeOf, Verdict } from "../../../core/domain/Sale.ts"
import type { Ledger } from "../../../core/ports/Ledger.ts"
import { holdingLock, onItsOwn } from "../../support/Concurrency.ts"
import { TestDatabase } from "../../support/Database.ts"
import {
  begunOn,
  intentOf,
  opened,
  replica,
  reservedOrder,
  reversalOf,
  reversalsReplica,
  soldOut
} from "../../support/SalesOnPostgres.ts"

let companies = 0

const delivery: Delivery = { authCode: "A1", rechargeToken: null }
const confirm = Verdict.Confirm({ delivery })
const release = Verdict.Release({ refusal: "TRANSACTION_REJECTED" })

/** Reserves this number of sales of one peso for a new company. */
const reservedOf = Effect.fnUntraced(function* (ledger: Ledger["Service"], count: number) {
  const company = ++companies
  yield* opened(ledger, company, 100_000)
  return yield* Effect.forEach(Array.from({ length: count }), (_, n) =>
    reservedOrder(ledger, intentOf(company, `sale ${n}`, 100))
  )
})

const proposalOf = ({ companyId, transactionId }: Order): string => `
  insert into cell.resolution (company_id, transaction_id, verdict, reason, proposed_by, proposed_at)
  values (${companyId}, ${transactionId}, 'failed', 'a list', 'ana', now())`

const availableOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ available: number }>`
    select available::int as available from cell.balance where company_id = ${company}`
  return row?.available
})

layer(TestDatabase, { excludeTestServices: true })("settlements in one statement", (it) => {
  // Verdicts on one sale in their order, whether each of them wins, and the status of the sale.
  it.effect.each([
    [[Verdict.Hold(), confirm], [false, true], "SUCCESS"],
    [[Verdict.Hold(), Verdict.Hold(), release], [false, false, true], "FAILED"],
    [[confirm, Verdict.Hold()], [true, false], "SUCCESS"],
    [[release, confirm], [true, false], "FAILED"],
    [[Verdict.Hold(), Verdict.Hold()], [true, false], "PENDING"]
  ] as const)("of one sale prefer a definite verdict to a hold: %j", ([verdicts, won, status]) =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledger = yield* replica
      const [order] = yield* reservedOf(ledger, 1)
      const at = yield* DateTime.now
      const members = verdicts.map((verdict, n) => ({
        ...settleRow({ order: order as Order, verdict, at, notFound: 0 }),
        n
      }))
      const settled = yield* sql`select won, status from cell.settle(${PgTypes.jsonb(members)}) order by n`
      assert.deepStrictEqual(
        settled,
        won.map((each) => ({ won: each, status }))
      )
    }).pipe(Effect.scoped)
  )

  it.effect("of one sale prefer the provider's answer to a conclusion from not-found answers", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledger = yield* replica
      const [order] = yield* reservedOf(ledger, 1)
      const at = yield* DateTime.now
      yield* ledger.settle({ order: order as Order, verdict: Verdict.Hold(), at, notFound: 1 })
      const members = [
        { verdict: release, notFound: 2 },
        { verdict: confirm, notFound: 0 }
      ].map((member, n) => ({ ...settleRow({ order: order as Order, at, ...member }), n }))
      const settled = yield* sql`select won, status from cell.settle(${PgTypes.jsonb(members)}) order by n`
      assert.deepStrictEqual(settled, [
        { won: false, status: "SUCCESS" },
        { won: true, status: "SUCCESS" }
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("of one sale do not count a not-found answer together with an unknown answer", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledger = yield* replica
      const [order] = yield* reservedOf(ledger, 1)
      const at = yield* DateTime.now
      const members = [1, 0].map((notFound, n) => ({
        ...settleRow({ order: order as Order, verdict: Verdict.Hold(), at, notFound }),
        n
      }))
      yield* sql`select won from cell.settle(${PgTypes.jsonb(members)})`
      const counted = yield* sql`select not_found from cell.transaction where company_id = ${companies}`
      assert.deepStrictEqual(counted, [{ not_found: 0 }])
    }).pipe(Effect.scoped)
  )

  // With `tersely`, a winning settlement gets no outcome, because its caller already has the outcome.
  it.effect.each([
    [true, null],
    [false, "Delivered"]
  ] as const)("return the outcome that each key replays when the argument `tersely` is %j", ([tersely, own]) =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const ledger = yield* replica
      const orders = yield* reservedOf(ledger, 5)
      const at = yield* DateTime.now
      const [sold, freed, pending, retaken, last] = orders as [Order, Order, Order, Order, Order]
      yield* ledger.settle({ order: pending, verdict: Verdict.Hold(), at, notFound: 0 })
      yield* sql`
        update cell.idempotency
        set transaction_id = 999999
        where company_id = ${companies} and transaction_id = ${PgTypes.int8(BigInt(retaken.transactionId))}`
      const members = [
        [sold, confirm],
        [sold, release],
        [freed, Verdict.Free()],
        [pending, confirm],
        [retaken, confirm],
        [last, release]
      ] as const
      const rows = members.map(([order, verdict], n) => ({ ...settleRow({ order, verdict, at, notFound: 0 }), n }))
      const settled = yield* sql`
        select array[n::text, won::text, kept::text, status, outcome ->> '_tag'] as result
        from cell.settle(${PgTypes.jsonb(rows)}, tersely => ${tersely})
        order by n`
      assert.deepStrictEqual(
        settled.map(({ result }) => result),
        [
          ["0", "true", "true", "SUCCESS", own],
          ["1", "false", "false", "SUCCESS", "Delivered"],
          ["2", "true", "false", "FAILED", null],
          ["3", "true", "false", "SUCCESS", "Pending"],
          ["4", "true", "false", "SUCCESS", null],
          ["5", "true", "true", "FAILED", own === null ? null : "Refused"]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("keep the first outcome of a key, even if the sale did not reach the provider", () =>
    Effect.gen(function* () {
      const ledger = yield* replica
      const [order] = yield* reservedOf(ledger, 1)
      assert.exists(order)
      const at = yield* DateTime.now
      const again = (identifier: string) =>
        Effect.result(
          ledger.reserve({ ...intentOf(companies, "sale 0", 100), identifier: Identifier.make(identifier) })
        )
      yield* ledger.settle({ order, verdict: Verdict.Hold(), at, notFound: 0 })
      const freed = yield* ledger.settle({ order, verdict: Verdict.Free(), at, notFound: 0 })
      assert.deepStrictEqual([freed.won, freed.status, freed.outcome?._tag], [true, "FAILED", "Pending"])
      const repeated = yield* again(order.identifier)
      assert.strictEqual(Result.isSuccess(repeated) ? repeated.success._tag : repeated.failure._tag, "Replay")
      assert.strictEqual(yield* availableOf(companies), 100_000)
    }).pipe(Effect.scoped)
  )

  // Earlier versions stored the order too.
  it.effect.each(["without", "with"] as const)(
    "replay the response to a delivered sale that is stored %s its order",
    (form) =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const ledger = yield* replica
        const company = ++companies
        yield* opened(ledger, company, 100_000)
        const intent = { ...intentOf(company, "k1", 100), product: "4411", reference: "paquete-7" }
        const order = yield* reservedOrder(ledger, intent)
        const delivered = Verdict.Confirm({ delivery: { authCode: "A1", rechargeToken: "1234 5678 9012 3456 7890" } })
        const at = yield* DateTime.now
        const first = yield* ledger.settle({ order, verdict: delivered, at, notFound: 0 })
        const [stored] = yield* sql<{
          outcome: object
        }>`select outcome from cell.idempotency where company_id = ${company}`
        assert.notProperty(stored?.outcome, "order")
        if (form === "with") {
          const whole = JSON.parse(JSON.stringify({ ...stored?.outcome, order }))
          yield* sql`update cell.idempotency set outcome = ${PgTypes.jsonb(whole)} where company_id = ${company}`
        }
        const repeated = yield* ledger.reserve(intent)
        const later = yield* ledger.settle({ order, verdict: release, at, notFound: 0 })
        const responses = [
          first.outcome,
          repeated._tag === "Replay" ? repeated.outcome : null,
          yield* ledger.recall(order.companyId, intent.key, intent.fingerprint),
          later.outcome
        ]
        for (const response of responses) assert.deepStrictEqual(response, outcomeOf(order, delivered, at))
      }).pipe(Effect.scoped)
  )

  it.effect("do not wait while an operator proposes a resolution of the sale", () =>
    Effect.gen(function* () {
      const ledger = yield* onItsOwn(replica)
      const [order] = yield* reservedOf(ledger, 1)
      assert.exists(order)
      const proposal = yield* holdingLock(proposalOf(order))
      const settled = yield* ledger.settle({ order, verdict: confirm, at: yield* DateTime.now, notFound: 0 })
      assert.isTrue(settled.won)
      yield* proposal.release
    }).pipe(Effect.scoped)
  )

  it.effect("of a reversal do not wait while an operator proposes a resolution of the sale", () =>
    Effect.gen(function* () {
      const order = yield* soldOut(yield* replica, ++companies, 100)
      const reversals = yield* onItsOwn(reversalsReplica)
      const proposal = yield* holdingLock(proposalOf(order))
      const unresolved = yield* begunOn(reversals, reversalOf(order, "back"))
      const at = yield* DateTime.now
      const settled = yield* reversals.settle({ unresolved, verdict: ReversalVerdict.Confirm(), at, notFound: 0 })
      assert.strictEqual(settled.status, "CONFIRMED")
      yield* proposal.release
    }).pipe(Effect.scoped)
  )

  const lost = (order: Order) =>
    Effect.succeed({ order: { ...order, transactionId: TransactionId.make(999_999) }, verdict: confirm })
  // Postgres rejects text with a NUL character.
  const unwritable = (order: Order) =>
    Effect.succeed({ order, verdict: Verdict.Confirm({ delivery: { ...delivery, authCode: "A1\0" } }) })
  // Stores an outcome with an unknown tag. The key keeps its first outcome, so the settlement reads this outcome.
  const unreadable = Effect.fnUntraced(function* (order: Order) {
    const sql = yield* PgClient.PgClient
    yield* sql`
      update cell.idempotency
      set outcome = '{"_tag": "Unheard"}', completed_at = claimed_at
      where company_id = ${companies} and transaction_id = ${PgTypes.int8(BigInt(order.transactionId))}`
    return { order, verdict: confirm }
  })

  // Fault of one sale among ten.
  it.effect.each([
    ["does not exist", lost],
    ["has data that Postgres cannot store", unwritable],
    ["has a stored outcome that cannot be read", unreadable]
  ] as const)("succeed for the other sales when one of them %s", ([, spoil]) =>
    Effect.gen(function* () {
      const ledger = yield* replica
      const reserved = yield* reservedOf(ledger, 10)
      const at = yield* DateTime.now
      const settlements = yield* Effect.forEach(reserved, (order, n) =>
        n === 4 ? spoil(order) : Effect.succeed({ order, verdict: confirm })
      )
      const settled = yield* Effect.forEach(
        settlements,
        (settlement) => Effect.exit(ledger.settle({ ...settlement, at, notFound: 0 })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        settled.map((exit) => (Exit.isSuccess(exit) ? exit.value.won : null)),
        reserved.map((_, n) => (n === 4 ? null : true))
      )
    }).pipe(Effect.scoped)
  )
})
