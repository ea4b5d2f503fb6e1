import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Logger } from "effect"
import * as UnresolvedPostgres from "../../../adapters/postgres/ledger/UnresolvedPostgres.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { type Order, Verdict } from "../../../core/domain/Sale.ts"
import { type RecoveryClaim, Unresolved } from "../../../core/ports/Unresolved.ts"
import { CommandLine } from "../../support/CommandLine.ts"
import { intentOf, replica, reservedOrder, reversalsReplica, unanswered } from "../../support/SalesOnPostgres.ts"
import { companyOf, failed, first, makeOlder, proposalFlag, second, success } from "../support/Resolutions.ts"

/** Stores a service type that this version does not know, as a later version or a manual change might. */
const storeUnknownType = Effect.fnUntraced(function* ({ companyId, transactionId }: Order) {
  const sql = yield* PgClient.PgClient
  yield* sql`
    update cell.transaction set service_type = 'lottery'
    where company_id = ${companyId} and id = ${transactionId}`
})

/** Sales of one peso that have been pending for 20 minutes. The simulator answers that they were delivered. */
const pending = Effect.fnUntraced(function* (company: CompanyId, count: number) {
  const ledger = yield* replica
  const orders: Array<Order> = []
  for (let n = 1; n <= count; n++) {
    // The simulator derives its codes from the hexadecimal digits of the xid, so the xid has the format of Xid.ts.
    const xid = `RD-${(company * 1_000 + n).toString(16).padStart(24, "0")}`
    const order = yield* reservedOrder(ledger, { ...intentOf(company, `sale-${n}`, 100), xid })
    yield* ledger.settle({ order, verdict: Verdict.Hold(), at: yield* DateTime.now, notFound: 0 })
    orders.push(order)
  }
  yield* makeOlder(company)
  return orders
}, Effect.scoped)

const statuses = Effect.fnUntraced(function* (company: CompanyId) {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{
    status: string
  }>`select status from cell.transaction where company_id = ${company} order by id`
  return rows.map(({ status }) => status)
})

const claimOf = Effect.map(
  DateTime.now,
  (now): RecoveryClaim => ({ began: now, now, lease: Duration.minutes(1), limit: 2, which: "all" })
)

/** Runs an effect and captures its log as JSON lines. */
const withLogLines = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.map(Logger.formatJson, (line) => lines.push(line))
    return Effect.map(Effect.provide(effect, Logger.layer([logger])), (answer) => ({ answer, lines }))
  })

layer(CommandLine.layer, { excludeTestServices: true })("a sale that this version cannot read", (it) => {
  it.effect("stays held while other sales are settled in the same cycle", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { company } = yield* companyOf("HELD")
      const [bad] = yield* pending(company, 2)
      assert.exists(bad)
      yield* storeUnknownType(bad)
      const { confirmadas, sin_resolver } = yield* answer("reconcile")
      assert.deepStrictEqual([confirmadas, sin_resolver], [1, 0])
      assert.deepStrictEqual(yield* statuses(company), ["PENDING", "SUCCESS"])
      assert.isTrue((yield* answer("audit")).ok)
    })
  )

  it.effect(
    "is logged as an error with its ids only, and does not reduce the number of readable sales in a claim",
    () =>
      Effect.gen(function* () {
        const { company } = yield* companyOf("CLAIMED")
        const orders = yield* pending(company, 4)
        for (const bad of orders.slice(0, 3)) yield* storeUnknownType(bad)
        const claim = Unresolved.use((unresolved) => Effect.flatMap(claimOf, unresolved.claim))
        const { answer, lines } = yield* withLogLines(Effect.provide(claim, UnresolvedPostgres.layer))
        const claimed = answer.filter(({ order }) => order.companyId === company)
        assert.deepStrictEqual(
          claimed.map(({ order }) => order.transactionId),
          orders.slice(3).map(({ transactionId }) => transactionId)
        )
        for (const { transactionId } of orders.slice(0, 3)) {
          const line = lines.find((each) => each.includes(`"transactionId":${transactionId}`))
          assert.match(line ?? "", /"level":"ERROR"/)
          assert.include(line, `"companyId":${company}`)
          assert.notInclude(line, "8095550123")
        }
      })
  )

  it.effect("does not block claims of other reversals", () =>
    Effect.gen(function* () {
      const { company, ledger } = yield* companyOf("REVERSED")
      const bad = yield* unanswered(ledger, intentOf(company, "bad", 100), "bad-reversal")
      const good = yield* unanswered(ledger, intentOf(company, "good", 100), "good-reversal")
      yield* storeUnknownType(bad)
      const reversals = yield* reversalsReplica
      const { answer, lines } = yield* withLogLines(Effect.flatMap(claimOf, reversals.claim))
      assert.deepStrictEqual(
        answer.map(({ unresolved }) => unresolved.transaction.id),
        [good.transactionId]
      )
      assert.lengthOf(
        lines.filter((line) => line.includes(`"transactionId":${bad.transactionId}`) && line.includes("reversal")),
        1
      )
    })
  )

  it.effect("is listed apart from the readable sales, and refused with TRANSACTION_UNREADABLE", () =>
    Effect.gen(function* () {
      const { answer, refusal, run } = yield* CommandLine
      const { company } = yield* companyOf("LISTED")
      const [bad, good] = yield* pending(company, 2)
      assert.exists(bad)
      assert.exists(good)
      yield* storeUnknownType(bad)
      for (const flags of [[], ["--pendientes"]]) {
        const own = ["transactions", "list", "--empresa", `${company}`, ...flags]
        const { ilegibles, items, pagination } = yield* answer(...own)
        assert.deepStrictEqual(
          [ilegibles, items.length, items[0].transaction_id, pagination.total],
          [[bad.transactionId], 1, good.transactionId, 2]
        )
        assert.include((yield* run(...own)).stdout, `does not show these transactions: ${bad.transactionId}.`)
      }
      assert.strictEqual(
        (yield* answer("transactions", "list", "--pendientes")).ilegibles.includes(bad.transactionId),
        true
      )
      const id = `${bad.transactionId}`
      for (const command of [
        ["show", id],
        ["resolve", id, ...failed, ...first],
        ["confirm", id, ...proposalFlag(1), ...first]
      ]) {
        const { code, exit } = yield* refusal("transactions", ...command)
        assert.deepStrictEqual([exit, code], [1, "TRANSACTION_UNREADABLE"])
      }
    })
  )
})

layer(CommandLine.layer, { excludeTestServices: true })(
  "a stored sale with an identifier that today's limits reject",
  (it) => {
    // The database accepts this identifier, although this version rejects it: another version may have had other limits.
    const sold = Effect.fnUntraced(function* (code: string) {
      const { company } = yield* companyOf(code)
      const [order] = yield* pending(company, 1)
      assert.exists(order)
      const sql = yield* PgClient.PgClient
      yield* sql`
      update cell.transaction set identifier = '7', terminal_id = ${"t".repeat(60)}
      where company_id = ${company}`
      return { company, id: `${order.transactionId}` }
    })

    it.effect("can be listed, shown, resolved and confirmed", () =>
      Effect.gen(function* () {
        const { answer } = yield* CommandLine
        const { company, id } = yield* sold("SHORT")
        const { items } = yield* answer("transactions", "list", "--pendientes", "--empresa", `${company}`)
        assert.strictEqual(items[0].identifier, "7")
        assert.strictEqual((yield* answer("transactions", "show", id)).identifier, "7")
        yield* answer("transactions", "resolve", id, ...success, ...first)
        const confirmed = yield* answer("transactions", "confirm", id, ...proposalFlag(1), ...second)
        assert.strictEqual(confirmed.status, "SUCCESS")
        assert.isTrue((yield* answer("audit")).ok)
      })
    )

    it.effect("is settled by reconcile", () =>
      Effect.gen(function* () {
        const { answer } = yield* CommandLine
        const { company } = yield* sold("ASKED")
        assert.strictEqual((yield* answer("reconcile")).confirmadas, 1)
        assert.deepStrictEqual(yield* statuses(company), ["SUCCESS"])
      })
    )
  }
)
