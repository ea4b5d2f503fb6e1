import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer } from "@effect/vitest"
import { type Context, DateTime, Effect, Exit, Layer, Redacted } from "effect"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { Phone } from "../../../core/domain/Person.ts"
import { ReversalVerdict } from "../../../core/domain/Reversal.ts"
import { Verdict } from "../../../core/domain/Sale.ts"
import { cuts, cuttingProxy } from "../../support/CuttingProxy.ts"
import { TestDatabase, testDatabaseUrl } from "../../support/Database.ts"
import { begunInsurance, codeToSend, newInsurance } from "../../support/InsuranceExample.ts"
import {
  insurancesReplica,
  intentOf,
  opened,
  outboxReplica,
  replica,
  reversalOf,
  reversalsReplica,
  soldOut
} from "../../support/SalesOnPostgres.ts"

/** A connection pool that reaches the test's database through a proxy, which can cut the connections. */
const behindProxy = Effect.gen(function* () {
  const url = new URL(yield* testDatabaseUrl)
  const proxy = yield* cuttingProxy(Number(url.port))
  url.port = String(proxy.port)
  const connected = yield* Layer.build(
    Layer.fresh(PgClient.layer({ url: Redacted.make(url.href), minConnections: 2, maxConnections: 2 }))
  )
  return { connected, proxy }
})

const booksOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql`
    select
      b.available::int as available,
      b.held::int as held,
      (select array_agg(t.status) from cell.transaction as t where t.company_id = b.company_id) as sales,
      (select array_agg(v.status) from cell.reversal as v where v.company_id = b.company_id) as reversals,
      (select array_agg(e.amount::int order by e.id) from cell.entry as e where e.company_id = b.company_id) as entries
    from cell.balance as b
    where b.company_id = ${company}`
  return row
})

const delivered = Verdict.Confirm({ delivery: { authCode: "AUTH-77", rechargeToken: null } })
const inUse = Effect.die(new Error("the key is in use"))

/**
 * A sale of 40 pesos, and the reversal of a sale of 40 pesos. `start` records the operation on the given connection and
 * returns an effect that settles the operation.
 */
const operations = [
  {
    operation: "a sale",
    prepare: Effect.fnUntraced(function* (company: number, connected: Context.Context<PgClient.PgClient>) {
      const ledger = yield* Effect.provide(replica, connected)
      yield* opened(yield* replica, company, 4_000)
      const start = Effect.map(ledger.reserve(intentOf(company, "the-key", 4_000)), (reserved) =>
        reserved._tag === "Reservation"
          ? Effect.flatMap(DateTime.now, (at) =>
              ledger.settle({ order: reserved.order, verdict: delivered, at, notFound: 0 })
            )
          : inUse
      )
      return { start }
    }),
    started: { available: 0, held: 4_000, sales: ["PROCESSING"], reversals: null, entries: [4_000] },
    status: "SUCCESS",
    outcome: "Delivered",
    settled: { available: 0, held: 0, sales: ["SUCCESS"], reversals: null, entries: [4_000, -4_000] }
  },
  {
    operation: "a reversal",
    prepare: Effect.fnUntraced(function* (company: number, connected: Context.Context<PgClient.PgClient>) {
      const reversals = yield* Effect.provide(reversalsReplica, connected)
      const order = yield* soldOut(yield* replica, company, 4_000)
      const start = Effect.map(reversals.begin(reversalOf(order, "the-key")), (begun) =>
        begun._tag === "Begun"
          ? Effect.flatMap(DateTime.now, (at) =>
              reversals.settle({ unresolved: begun.unresolved, verdict: ReversalVerdict.Confirm(), at, notFound: 0 })
            )
          : inUse
      )
      return { start }
    }),
    started: { available: 0, held: 0, sales: ["SUCCESS"], reversals: ["PROCESSING"], entries: [4_000, -4_000] },
    status: "CONFIRMED",
    outcome: "Reversed",
    settled: {
      available: 4_000,
      held: 0,
      sales: ["REVERSED"],
      reversals: ["CONFIRMED"],
      entries: [4_000, -4_000, 4_000]
    }
  }
] as const

layer(TestDatabase, { excludeTestServices: true })((it) => {
  let companies = 0

  describe.each(operations)(
    "$operation whose connection is lost during a commit",
    ({ outcome, prepare, settled, started, status }) => {
      it.effect.each(cuts)("(%s of the start) is recorded once, and its caller can settle it", (cut) =>
        Effect.gen(function* () {
          const company = ++companies
          const { connected, proxy } = yield* behindProxy
          const { start } = yield* prepare(company, connected)
          proxy.arm(cut, "the-key")
          const settle = yield* start
          assert.strictEqual(proxy.cuts(), 1)
          assert.deepStrictEqual(yield* booksOf(company), started)
          assert.strictEqual((yield* settle).status, status)
          assert.deepStrictEqual(yield* booksOf(company), settled)
        }).pipe(Effect.scoped)
      )

      it.effect.each(cuts)("(%s of the settlement) moves the money once, and its caller receives the outcome", (cut) =>
        Effect.gen(function* () {
          const company = ++companies
          const { connected, proxy } = yield* behindProxy
          const { start } = yield* prepare(company, connected)
          const settle = yield* start
          proxy.arm(cut, "AUTH-77")
          const answer = yield* settle
          assert.strictEqual(proxy.cuts(), 1)
          assert.deepStrictEqual([answer.status, answer.outcome?._tag], [status, outcome])
          assert.deepStrictEqual(yield* booksOf(company), settled)
        }).pipe(Effect.scoped)
      )
    }
  )

  describe("a connection that is lost", () => {
    it.effect("while a started reversal is read back does not change the caller's result", () =>
      Effect.gen(function* () {
        const order = yield* soldOut(yield* replica, ++companies, 4_000)
        const { connected, proxy } = yield* behindProxy
        const reversals = yield* Effect.provide(reversalsReplica, connected)
        proxy.arm("before COMMIT", "reversal_created_at")
        const begun = yield* reversals.begin(reversalOf(order, "the-key"))
        assert.strictEqual(proxy.cuts(), 1)
        assert.strictEqual(begun._tag, "Begun")
      }).pipe(Effect.scoped)
    )

    it.effect.each(cuts)("%s of a deposit leaves one entry", (cut) =>
      Effect.gen(function* () {
        const company = ++companies
        const { connected, proxy } = yield* behindProxy
        const ledger = yield* Effect.provide(replica, connected)
        proxy.arm(cut, "ref-991")
        yield* ledger.deposit({
          companyId: CompanyId.make(company),
          amount: Amount.make(10_000),
          reference: "ref-991",
          at: yield* DateTime.now
        })
        assert.strictEqual(proxy.cuts(), 1)
        assert.deepInclude(yield* booksOf(company), { available: 10_000, held: 0, entries: [10_000] })
      }).pipe(Effect.scoped)
    )
  })
})

layer(TestDatabase, { excludeTestServices: true })("a batch of reservations", (it) => {
  it.effect("reserves the other sales when the database rejects one of them", () =>
    Effect.gen(function* () {
      const ledger = yield* replica
      yield* opened(ledger, 1, 100_000)
      yield* ledger.reserve(intentOf(1, "first", 1_000))
      // The unique index rejects a second unsettled sale with this xid, and with it the whole statement.
      const impossible = { ...intentOf(1, "second", 1_000), xid: "RD-1-first" }
      const [refused, ...neighbours] = yield* Effect.forEach(
        [impossible, intentOf(1, "third", 1_000), intentOf(1, "fourth", 1_000)],
        (intent) => Effect.exit(ledger.reserve(intent)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(refused?._tag, "Failure")
      assert.deepStrictEqual(
        neighbours.map(({ _tag }) => _tag),
        ["Success", "Success"]
      )
      assert.deepInclude(yield* booksOf(1), { available: 97_000, held: 3_000 })
    }).pipe(Effect.scoped)
  )
})

/** A phone that only this company's insurances have. */
const phoneOf = (company: number) => Phone.make(`809${String(company).padStart(7, "0")}`)

const production = { environment: "production" } as const

/** Number of messages that count against the limits of all phones. */
const messagesCounted = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ messages: number }>`
    select coalesce(sum(cardinality(queued_at)), 0)::int as messages from directory.phone_quota`
  return row?.messages ?? 0
})

const insuranceStateOf = Effect.fnUntraced(function* (company: number) {
  const sql = yield* PgClient.PgClient
  return yield* sql`
    select
      g.state,
      g.code_hash as hash,
      g.attempts,
      g.resends,
      (select array_agg(s.status order by s.created_at, s.id) from cell.sms as s where s.company_id = g.company_id) as messages
    from cell.insurance as g
    where g.company_id = ${company}`
})

layer(TestDatabase, { excludeTestServices: true })("a connection that is lost", (it) => {
  it.effect.each(cuts)("%s of the start of an insurance leaves one insurance with one SMS", (cut) =>
    Effect.gen(function* () {
      const company = cuts.indexOf(cut) + 1
      const { connected, proxy } = yield* behindProxy
      const insurances = yield* Effect.provide(insurancesReplica, connected)
      const id = yield* insurances.nextId(CompanyId.make(company))
      const first = yield* codeToSend(undefined, phoneOf(company))
      const counted = yield* messagesCounted
      proxy.arm(cut, first.code.hash)
      const insurance = yield* insurances.create(id, yield* newInsurance(company, production), first)
      assert.strictEqual(proxy.cuts(), 1)
      assert.deepStrictEqual([insurance.id, insurance.state], [id, "iniciada"])
      assert.strictEqual(yield* messagesCounted, counted + 1)
      assert.deepStrictEqual(yield* insuranceStateOf(company), [
        { state: "iniciada", hash: first.code.hash, attempts: 0, resends: 0, messages: ["staged"] }
      ])
    }).pipe(Effect.scoped)
  )

  it.effect.each(cuts)("%s of a resend leaves one new code with one SMS", (cut) =>
    Effect.gen(function* () {
      const company = cuts.indexOf(cut) + 11
      const { connected, proxy } = yield* behindProxy
      const insurances = yield* Effect.provide(insurancesReplica, connected)
      const { companyId, id } = yield* begunInsurance(insurances, company, production)
      const next = yield* codeToSend(undefined, phoneOf(company))
      const counted = yield* messagesCounted
      proxy.arm(cut, next.code.hash)
      yield* insurances.resend(companyId, id, next)
      assert.strictEqual(proxy.cuts(), 1)
      assert.strictEqual(yield* messagesCounted, counted + 1)
      assert.deepStrictEqual(yield* insuranceStateOf(company), [
        { state: "iniciada", hash: next.code.hash, attempts: 0, resends: 1, messages: ["staged", "staged"] }
      ])
    }).pipe(Effect.scoped)
  )

  it.effect.each(cuts)("%s of the result of an SMS records the result once", (cut) =>
    Effect.gen(function* () {
      const company = cuts.indexOf(cut) + 21
      const { connected, proxy } = yield* behindProxy
      const insurances = yield* Effect.provide(insurancesReplica, connected)
      const outbox = yield* Effect.provide(outboxReplica, connected)
      const id = yield* insurances.nextId(CompanyId.make(company))
      const first = yield* codeToSend()
      yield* insurances.create(id, yield* newInsurance(company), first)
      const reference = `SM-${company}-gateway`
      proxy.arm(cut, reference)
      const { message } = first.sms
      const sms = { companyId: CompanyId.make(company), insuranceId: id, message }
      yield* outbox.record(sms, { _tag: "Sent", reference }, yield* DateTime.now)
      assert.strictEqual(proxy.cuts(), 1)
      assert.deepStrictEqual(yield* insuranceStateOf(company), [
        { state: "otp_enviado", hash: first.code.hash, attempts: 0, resends: 0, messages: ["sent"] }
      ])
    }).pipe(Effect.scoped)
  )

  // A verification attempt is not retried after a lost connection. The caller receives an error, and the attempt counts
  // at most once.
  it.effect.each([
    ["before COMMIT", 0],
    ["after COMMIT", 1]
  ] as const)("%s of a verification attempt fails the attempt, which is counted %d times", ([cut, attempts]) =>
    Effect.gen(function* () {
      const company = 31 + attempts
      const { connected, proxy } = yield* behindProxy
      const insurances = yield* Effect.provide(insurancesReplica, connected)
      const { companyId, id } = yield* begunInsurance(insurances, company)
      proxy.arm(cut, "attempts + 1")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(insurances.attempt(companyId, id))))
      assert.strictEqual(proxy.cuts(), 1)
      const [row] = yield* insuranceStateOf(company)
      assert.deepInclude(row, { attempts })
    }).pipe(Effect.scoped)
  )
})
