import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Logger } from "effect"
import * as UnresolvedPostgres from "../../../adapters/postgres/ledger/UnresolvedPostgres.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { type Order, Verdict } from "../../../core/domain/Sale.ts"
import { type RecoveryClaim, Unresolved } from "../../../core/ports/Unresolved.ts"
import { CommandLine } from "../../support/CommandLine.ts"
import { intentOf, replica, reservedOrder, reversalsReplica, unanswered } from "../../support/SalesOnPostgres.ts"
import { companyOf, failed, first, makeOlder, proposalFlag, success } from "../support/UnresolvedReversal.ts"

/** As a later version might have sold it, or a hand have written it. */
const ofUnknownType = Effect.fnUntraced(function* ({ companyId, transactionId }: Order) {
  const sql = yield* PgClient.PgClient
  yield* sql`
    update cell.transaction set service_type = 'lottery'
    where company_id = ${companyId} and id = ${transactionId}`
})

/** Sales of one peso, pending for twenty minutes, of which the simulator says that they were delivered. */
const pending = Effect.fnUntraced(function* (company: CompanyId, count: number) {
  const ledger = yield* replica
  const orders: Array<Order> = []
  for (let n = 1; n <= count; n++) {
    // As Idempotency.ts makes them: the simulator makes its codes of the hex digits.
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

/** What is logged, as text, and the answer. */
const overheard = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const ears = Logger.map(Logger.formatJson, (line) => lines.push(line))
    return Effect.map(Effect.provide(effect, Logger.layer([ears])), (answer) => ({ answer, lines }))
  })

layer(CommandLine.layer, { excludeTestServices: true })("a sale that this version cannot read", (it) => {
  it.effect("stays held, and keeps no other from being settled in the same cycle", () =>
    Effect.gen(function* () {
      const { answer } = yield* CommandLine
      const { company } = yield* companyOf("HELD")
      const [bad] = yield* pending(company, 2)
      assert.exists(bad)
      yield* ofUnknownType(bad)
      const { confirmadas, sin_resolver } = yield* answer("reconcile")
      assert.deepStrictEqual([confirmadas, sin_resolver], [1, 0])
      assert.deepStrictEqual(yield* statuses(company), ["PENDING", "SUCCESS"])
      assert.isTrue((yield* answer("audit")).ok)
    })
  )

  it.effect("is told as an error by its ids alone, and takes no other's place in a claim", () =>
    Effect.gen(function* () {
      const { company } = yield* companyOf("CLAIMED")
      const orders = yield* pending(company, 4)
      for (const bad of orders.slice(0, 3)) yield* ofUnknownType(bad)
      const claim = Unresolved.use((unresolved) => Effect.flatMap(claimOf, unresolved.claim))
      const { answer, lines } = yield* overheard(Effect.provide(claim, UnresolvedPostgres.layer))
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

  it.effect("keeps no reversal of another from being claimed", () =>
    Effect.gen(function* () {
      const { company, ledger } = yield* companyOf("REVERSED")
      const bad = yield* unanswered(ledger, intentOf(company, "bad", 100), "bad-reversal")
      const good = yield* unanswered(ledger, intentOf(company, "good", 100), "good-reversal")
      yield* ofUnknownType(bad)
      const reversals = yield* reversalsReplica
      const { answer, lines } = yield* overheard(Effect.flatMap(claimOf, reversals.claim))
      assert.deepStrictEqual(
        answer.map(({ under }) => under.transaction.id),
        [good.transactionId]
      )
      assert.lengthOf(
        lines.filter((line) => line.includes(`"transactionId":${bad.transactionId}`) && line.includes("reversal")),
        1
      )
    })
  )

  it.effect("is named beside those that are listed, and refused by its name", () =>
    Effect.gen(function* () {
      const { answer, refusal, run } = yield* CommandLine
      const { company } = yield* companyOf("LISTED")
      const [bad, good] = yield* pending(company, 2)
      assert.exists(bad)
      assert.exists(good)
      yield* ofUnknownType(bad)
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
  "a sale to an identifier that could not be sold to by now",
  (it) => {
    // The database lets pass what another version's limits do.
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

    it.effect("is listed, shown, resolved and confirmed as any", () =>
      Effect.gen(function* () {
        const { answer } = yield* CommandLine
        const { company, id } = yield* sold("SHORT")
        const { items } = yield* answer("transactions", "list", "--pendientes", "--empresa", `${company}`)
        assert.strictEqual(items[0].identifier, "7")
        assert.strictEqual((yield* answer("transactions", "show", id)).identifier, "7")
        yield* answer("transactions", "resolve", id, ...success, ...first)
        const confirmed = yield* answer("transactions", "confirm", id, ...proposalFlag(1), "--operador", "turno-2")
        assert.strictEqual(confirmed.status, "SUCCESS")
        assert.isTrue((yield* answer("audit")).ok)
      })
    )

    it.effect("is asked about", () =>
      Effect.gen(function* () {
        const { answer } = yield* CommandLine
        const { company } = yield* sold("ASKED")
        assert.strictEqual((yield* answer("reconcile")).confirmadas, 1)
        assert.deepStrictEqual(yield* statuses(company), ["SUCCESS"])
      })
    )
  }
)
