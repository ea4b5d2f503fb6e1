import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Option } from "effect"
import { migrate } from "../../adapters/postgres/schema/Migrations.ts"
import { failureOf } from "../../core/domain/ErrorCatalogue.ts"
import { ReversalVerdict } from "../../core/domain/Reversal.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import { Closings } from "../../core/ports/Closings.ts"
import { Deliveries } from "../../core/ports/Deliveries.ts"
import { Histories } from "../../core/ports/Histories.ts"
import { Insurances } from "../../core/ports/Insurances.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { Reversals } from "../../core/ports/Reversals.ts"
import { AllTransactions } from "../../core/ports/Transactions.ts"
import { Unresolved } from "../../core/ports/Unresolved.ts"
import { Webhooks } from "../../core/ports/Webhooks.ts"
import { closeDue } from "../../core/workflows/CloseDays.ts"
import { violatedInvariants } from "../support/Database.ts"
import { claim as claimDeliveries, delivered as deliveredEvent, record } from "../support/DeliveriesOnPostgres.ts"
import { onServer, runStatement } from "../support/EmbeddedDatabases.ts"
import { begunInsurance, codeToSend } from "../support/InsuranceExample.ts"
import { begunOn, intentOf, opened, reservedOrder, reversalOf } from "../support/SalesOnPostgres.ts"
import { confirm, deposit, propose } from "./Deposits.ts"
import { depositWithEvent } from "./Trade.ts"
import { NodeUrl, onNode, onNodesOfEachKind } from "./TwoNodes.ts"

const delivered = Verdict.Confirm({ delivery: { authCode: "AUTH-77", rechargeToken: null } })

/** Sells once. Returns the order. */
const sold = Effect.fnUntraced(function* (company: number, key: string, verdict: Verdict = delivered) {
  const ledger = yield* Ledger
  const order = yield* reservedOrder(ledger, { ...intentOf(company, key, 100), reversible: true })
  yield* ledger.settle({ order, verdict, at: yield* DateTime.now, notFound: 0 })
  return order
})

onNodesOfEachKind("cells on two nodes", (it) => {
  it.effect("sell, replay and reverse, each on its own node", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const reversals = yield* Reversals
      for (const company of [300, 301]) {
        yield* opened(ledger, company, 10_000)
        const order = yield* sold(company, "k1")
        const again = yield* ledger.reserve({ ...intentOf(company, "k1", 100), reversible: true })
        assert.strictEqual(again._tag, "Replay")
        const unresolved = yield* begunOn(reversals, reversalOf(order, "r1"))
        const at = yield* DateTime.now
        yield* reversals.settle({ unresolved, verdict: ReversalVerdict.Confirm(), at, notFound: 0 })
        const history = Option.getOrThrow(yield* (yield* Histories).find(order.transactionId))
        assert.strictEqual(history.transaction.status, "REVERSED")
        assert.strictEqual(order.transactionId % 256, company % 2)
      }
      const ofNode = yield* onNode(
        PgClient.PgClient.use((sql) => sql`select distinct company_id::int as company from sur.entry`)
      )
      assert.deepStrictEqual(ofNode, [{ company: 301 }])
      const listed = yield* (yield* AllTransactions).list({}, { page: 1, perPage: 10 })
      assert.deepStrictEqual(listed.items.map(({ companyId }) => Number(companyId)).sort(), [300, 301])
    })
  )

  it.effect("accept the reference of a deposit once, even from nine companies at the same time", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* deposit(300, "T-1"), "Recorded")
      assert.strictEqual(yield* deposit(301, "t-1"), "UsedElsewhere")
      assert.strictEqual(yield* deposit(301, "T-1", false), "Recorded")
      assert.strictEqual(yield* deposit(302, "T-1"), "UsedElsewhere")
      assert.strictEqual(yield* deposit(301, "T-1"), "AlreadyRecorded")
      for (const round of [1, 2, 3, 4, 5]) {
        const companies = [300, 301, 302, 303, 304, 305, 306, 307, 308]
        const tags = yield* Effect.forEach(companies, (company) => deposit(company, `R-${round}`), {
          concurrency: "unbounded"
        })
        assert.strictEqual(tags.filter((tag) => tag === "Recorded").length, 1)
        assert.strictEqual(tags.filter((tag) => tag === "UsedElsewhere").length, 8)
      }
    })
  )

  it.effect("confirm a proposal with a reference of the other node only if the operator confirms the repetition", () =>
    Effect.gen(function* () {
      const first = yield* propose(302, "P-1")
      const second = yield* propose(303, "P-1")
      assert.strictEqual(yield* confirm(second), "Recorded")
      assert.strictEqual(yield* confirm(second), "NotPending")
      assert.strictEqual(yield* confirm(first), "UsedElsewhere")
      assert.strictEqual((yield* propose(304, "P-1")).made._tag, "UsedElsewhere")
      assert.strictEqual(yield* confirm(yield* propose(304, "P-1", true)), "Recorded")
    })
  )

  it.effect("share one limit on the messages to a phone", () =>
    Effect.gen(function* () {
      const insurances = yield* Insurances
      const production = { environment: "production" } as const
      const begun = [
        yield* begunInsurance(insurances, 305, production),
        yield* begunInsurance(insurances, 306, production)
      ]
      const tags: Array<string> = []
      for (const { companyId, id } of [...begun, ...begun, ...begun]) {
        const sms = yield* codeToSend()
        tags.push((yield* Effect.result(insurances.resend(companyId, id, sms)))._tag)
      }
      assert.deepStrictEqual(tags, ["Success", "Success", "Success", "Failure", "Failure", "Failure"])
    })
  )

  it.effect("send their events, and notify the server of them", () =>
    Effect.gen(function* () {
      const server = { deliveries: yield* Deliveries, webhooks: yield* Webhooks }
      for (const company of [307, 308]) yield* depositWithEvent(company, 2)
      const claimed = yield* claimDeliveries(server, 100)
      assert.sameMembers(
        claimed.map(({ event }) => event.companyId),
        [307, 308]
      )
      for (const each of claimed) yield* record(server, each, deliveredEvent)
    })
  )

  it.effect("pass an audit, which finds a fault on any node and a company on the wrong node", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* violatedInvariants, [])
      const stray = (available: number) =>
        onNode(
          PgClient.PgClient.use(
            (sql) => sql`
              insert into sur.balance (company_id, available, updated_at) values (300, ${available}, now())`
          )
        )
      yield* stray(5)
      const found = yield* violatedInvariants
      assert.deepStrictEqual(found.map(({ invariant }) => invariant).sort(), ["located", "owned"])
      assert.deepInclude(found.find(({ invariant }) => invariant === "located")?.offenders[0], {
        cell: "sur",
        company_id: 300,
        own_cell: "cell"
      })
      yield* onNode(PgClient.PgClient.use((sql) => sql`delete from sur.balance where company_id = 300`))
    })
  )

  it.effect("are migrated, and need no migration afterwards", () =>
    Effect.gen(function* () {
      yield* onNode(
        PgClient.PgClient.use(
          (sql) => sql`update sur.schema_file set digest = '' where name in ('functions/settle', 'roles')`
        )
      )
      assert.deepStrictEqual(yield* migrate, ["sur/functions/settle", "sur/roles"])
      assert.deepStrictEqual(yield* migrate, [])
    })
  )

  it.effect("continue to work if the other node does not answer", () =>
    Effect.gen(function* () {
      yield* sold(300, "held", Verdict.Hold())
      yield* sold(301, "held", Verdict.Hold())
      const url = yield* NodeUrl
      const database = new URL(url).pathname.slice(1)
      const onItsServer = (statement: string) => runStatement(onServer(url, "postgres"), statement)
      yield* onItsServer(`alter database "${database}" allow_connections false`)
      yield* onItsServer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`)
      const cause = yield* Effect.flip(Effect.sandbox(sold(301, "k2")))
      assert.strictEqual(Option.getOrThrow(failureOf(cause))._tag, "CompanyClosed")
      yield* sold(300, "k2")
      const { claim } = yield* Unresolved
      const now = DateTime.add(yield* DateTime.now, { hours: 1 })
      const claimed = yield* claim({ began: now, now, lease: Duration.minutes(1), limit: 10, which: "all" })
      assert.deepStrictEqual(
        claimed.map(({ order }) => Number(order.companyId)),
        [300]
      )
      // A deposit is refused, because a company on the missing node may have used its reference.
      assert.strictEqual((yield* Effect.exit(deposit(300, "D-1")))._tag, "Failure")
      // The days of companies on this node stay open, although the node answers again while the other days are closed.
      const closings = yield* Closings
      const answering = onItsServer(`alter database "${database}" allow_connections true`)
      const unclosed = Effect.tap(closings.unclosed, answering)
      assert.isFalse(yield* Effect.provideService(closeDue(), Closings, { ...closings, unclosed }))
      yield* sold(301, "k3")
      assert.isTrue(yield* closeDue())
      assert.strictEqual(yield* deposit(300, "D-1"), "Recorded")
    })
  )
})
