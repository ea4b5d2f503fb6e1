import { readFileSync } from "node:fs"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, type Context, DateTime, Effect, Fiber, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Sha256Node from "../../../adapters/crypto/Sha256Node.ts"
import * as ClosingsPostgres from "../../../adapters/postgres/ledger/ClosingsPostgres.ts"
import * as AuditPostgres from "../../../adapters/postgres/reads/AuditPostgres.ts"
import { SqlFolder } from "../../../adapters/postgres/schema/SqlFiles.ts"
import { sumOf } from "../../../core/domain/Closing.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Amount } from "../../../core/domain/Money.ts"
import { ReversalVerdict } from "../../../core/domain/Reversal.ts"
import { type Order, Verdict } from "../../../core/domain/Sale.ts"
import { Closings } from "../../../core/ports/Closings.ts"
import type { Ledger } from "../../../core/ports/Ledger.ts"
import { ReportProgress } from "../../../core/ports/Progress.ts"
import { closeThrough, verifyClosings } from "../../../core/workflows/CloseDays.ts"
import { holdingLock, onItsOwn } from "../../support/Concurrency.ts"
import { TestDatabase, violatedInvariants } from "../../support/Database.ts"
import { setBlockLength } from "../../support/SalesHistory.ts"
import {
  begunOn,
  intentOf,
  opened,
  replica,
  reservedOrder,
  reversalOf,
  reversalsReplica
} from "../../support/SalesOnPostgres.ts"
import {
  afterMidnight,
  at,
  beforeMidnight,
  close,
  closingsOf,
  contentOf,
  day,
  daysAhead,
  figuresOf,
  noon
} from "./DaysAndClocks.ts"

const Postgres = Layer.mergeAll(ClosingsPostgres.layer, AuditPostgres.layer, Sha256Node.layer).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto),
  Layer.provideMerge(TestDatabase)
)

const nextDay = "2026-03-03"

const confirm = Verdict.Confirm({ delivery: { authCode: "A1", rechargeToken: null } })
const release = Verdict.Release({ refusal: "TRANSACTION_REJECTED" })

const settled = Effect.fnUntraced(function* (ledger: Ledger["Service"], order: Order, verdict: Verdict) {
  return yield* ledger.settle({ order, verdict, at: yield* DateTime.now, notFound: 0 })
})

const deposited = (ledger: Ledger["Service"], company: number, reference: string) =>
  Effect.flatMap(DateTime.now, (at) =>
    ledger.deposit({ companyId: CompanyId.make(company), amount: Amount.make(500), reference, at })
  )

let companies = 100

/** A company with 1,000 pesos since noon, and a ledger. */
const company = Effect.gen(function* () {
  const id = ++companies
  const ledger = yield* replica
  yield* noon(opened(ledger, id, 100_000))
  return { id, ledger }
})

layer(Postgres, { excludeTestServices: true })("the closing of a day", (it) => {
  it.effect(
    "leaves to the next day an outcome that a server whose clock is behind records later, and loses no amount",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const { id, ledger } = yield* company
        const reversals = yield* reversalsReplica
        const intent = (key: string) => ({ ...intentOf(id, key, 1_000), reversible: true })
        const confirmed = yield* noon(reservedOrder(ledger, intent("confirmed")))
        const refused = yield* noon(reservedOrder(ledger, intent("refused")))
        const reversed = yield* noon(reservedOrder(ledger, intent("reversed")))
        yield* noon(settled(ledger, reversed, confirm))
        const unresolved = yield* noon(begunOn(reversals, reversalOf(reversed, "reversal")))
        yield* afterMidnight(close(id))

        const late = yield* beforeMidnight(reservedOrder(ledger, intent("late")))
        assert.isTrue(DateTime.Equivalence(late.createdAt, DateTime.makeUnsafe("2026-03-03T00:00:00-04:00")))
        assert.isTrue((yield* beforeMidnight(settled(ledger, confirmed, confirm))).won)
        assert.isTrue((yield* beforeMidnight(settled(ledger, refused, release))).won)
        yield* beforeMidnight(deposited(ledger, id, "late"))
        const at = DateTime.makeUnsafe("2026-03-02T23:59:59-04:00")
        yield* beforeMidnight(reversals.settle({ unresolved, verdict: ReversalVerdict.Confirm(), at, notFound: 0 }))
        const early = yield* sql`
        select id from cell.entry where company_id = ${id} and id > 2 and created_at < '2026-03-03T04:00:00Z'`
        assert.lengthOf(early, 0)

        yield* afterMidnight(close(id, nextDay))
        const first = figuresOf(yield* contentOf(id, day))
        assert.deepInclude(first, { deposits: 100_000, sales: 1_000, reversals: 0, closing: 99_000, held: 2_000 })
        const next = yield* contentOf(id, nextDay)
        const amounts = { deposits: 500, sales: 1_000, reversals: 1_000, held: 1_000 }
        assert.deepStrictEqual(figuresOf(next), { opening: 99_000, ...amounts, closing: 99_500 })
        assert.deepStrictEqual(next.earlierReversals, [{ transactionId: reversed.transactionId, day, amount: 1_000 }])
        assert.deepStrictEqual(next.pending, [late.transactionId])
        assert.deepStrictEqual(yield* violatedInvariants, [])
      }).pipe(Effect.scoped)
  )

  it.effect("uses the times of the rows when two servers with different clocks write around midnight", () =>
    Effect.gen(function* () {
      const { id, ledger } = yield* company
      const fast = yield* afterMidnight(reservedOrder(ledger, intentOf(id, "fast", 1_000)))
      const slow = yield* beforeMidnight(reservedOrder(ledger, intentOf(id, "slow", 300)))
      // The server that settles the fast sale has a clock that shows a time before the reservation.
      yield* beforeMidnight(settled(ledger, fast, confirm))
      yield* afterMidnight(deposited(ledger, id, "after"))
      yield* beforeMidnight(settled(ledger, slow, confirm))
      yield* afterMidnight(close(id))
      yield* afterMidnight(close(id, nextDay))
      assert.deepInclude(figuresOf(yield* contentOf(id, day)), { deposits: 100_000, sales: 1_300, closing: 98_700 })
      assert.deepInclude(figuresOf(yield* contentOf(id, nextDay)), { deposits: 500, sales: 0, closing: 99_200 })
      assert.deepStrictEqual(yield* violatedInvariants, [])
    }).pipe(Effect.scoped)
  )

  // The first sale is settled before its block exists. The next two sales are settled when they are already in blocks.
  const soldDaysAhead = Effect.gen(function* () {
    yield* Effect.acquireRelease(setBlockLength(2), () => Effect.orDie(setBlockLength(1_000)))
    const { id, ledger } = yield* company
    const reserve = (key: string) => daysAhead(reservedOrder(ledger, intentOf(id, key, 1_000)))
    yield* noon(settled(ledger, yield* reserve("first"), confirm))
    const [charged, failed] = [yield* reserve("charged"), yield* reserve("failed")]
    yield* Effect.forEach(["unresolved", "last"], reserve)
    yield* noon(settled(ledger, charged, confirm))
    yield* noon(settled(ledger, failed, release))
    return id
  })

  it.effect("counts a sale from a server whose clock is days ahead in the day of its settlement", () =>
    Effect.gen(function* () {
      const id = yield* soldDaysAhead
      yield* afterMidnight(close(id))
      const content = yield* contentOf(id, day)
      assert.deepInclude(figuresOf(content), { sales: 2_000, closing: 98_000, held: 0 })
      assert.deepStrictEqual(sumOf(content.services, "FAILED"), { count: 1, amount: 1_000 })
      yield* daysAhead(close(id, "2026-03-06"))
      assert.deepInclude(figuresOf(yield* contentOf(id, "2026-03-06")), { sales: 0, closing: 98_000, held: 2_000 })
      assert.deepStrictEqual(yield* violatedInvariants, [])
    }).pipe(Effect.scoped)
  )

  it.effect("finds a sale whose time is days ahead, after the migration has corrected the block of the sale", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const id = yield* soldDaysAhead
      yield* sql`update cell.block set earliest = latest where company_id = ${id} and list = 'sale'`
      const { mismatches } = yield* afterMidnight(closeThrough(day, { only: CompanyId.make(id) }))
      assert.lengthOf(mismatches, 1)
      const migration = readFileSync(new URL("cell/0025_block_days.sql", yield* SqlFolder), "utf8")
      yield* sql.unsafe(`do $m$ begin set local search_path = cell; execute $b$${migration}$b$; end $m$`).unprepared
      // The failed attempt has ended the day, but it has stored no closing.
      yield* afterMidnight(close(id))
      assert.deepInclude(figuresOf(yield* contentOf(id, day)), { sales: 2_000, closing: 98_000 })
    }).pipe(Effect.scoped)
  )

  // The time of an entry, and the day in which the entry is counted.
  it.effect.each([
    ["2026-03-02T03:59:59.999Z", "2026-03-01"],
    ["2026-03-02T04:00:00.000Z", "2026-03-02"],
    ["2026-03-03T03:59:59.999Z", "2026-03-02"],
    ["2026-03-03T04:00:00.000Z", "2026-03-03"]
  ] as const)("counts an entry with the time %s in the day %s", ([time, day]) =>
    Effect.gen(function* () {
      const ledger = yield* replica
      const id = ++companies
      yield* at(time)(opened(ledger, id, 700))
      yield* at("2026-03-05T12:00:00Z")(close(id, "2026-03-04"))
      assert.deepInclude(figuresOf(yield* contentOf(id, day)), { opening: 0, deposits: 700, closing: 700 })
    }).pipe(Effect.scoped)
  )

  it.effect("waits for a settlement that has locked the balance", () =>
    Effect.gen(function* () {
      const { id } = yield* company
      const settlement = yield* holdingLock(`
        with locked as (select owned from cell.balance where company_id = ${id} for update)
        insert into cell.entry (company_id, id, type, amount, balance, reference, created_at)
        select ${id}, nextval('cell.entry_id'), 'deposit', 5, owned + 5, 'inside', '2026-03-03T03:59:59Z' from locked`)
      const server = yield* onItsOwn(Layer.build(Layer.fresh(ClosingsPostgres.layer)))
      const closing = yield* Effect.forkChild(Effect.provideContext(afterMidnight(close(id)), server))
      const sql = yield* PgClient.PgClient
      const waiting = sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%end_day%'`
      yield* Effect.repeat(waiting, { until: (rows) => rows.length > 0 })
      yield* settlement.release
      yield* Fiber.join(closing)
      assert.deepInclude(figuresOf(yield* contentOf(id, day)), { deposits: 100_005 })
      // The entry was written directly into its table, so the balance must be corrected here.
      yield* sql`update cell.balance set available = available + 5, entries = entries + 1 where company_id = ${id}`
    }).pipe(Effect.scoped)
  )

  it.effect("stores one closing when many servers close, while servers with differing clocks sell", () =>
    Effect.gen(function* () {
      const { id, ledger } = yield* company
      const clocks = [beforeMidnight, afterMidnight]
      const sell = (n: number) =>
        Effect.gen(function* () {
          const order = yield* (clocks[n % 2] ?? noon)(reservedOrder(ledger, intentOf(id, `sale ${n}`, 100)))
          if (n % 3 === 0) return
          yield* (clocks[(n >> 1) % 2] ?? noon)(settled(ledger, order, n % 5 === 0 ? release : confirm))
        })
      const servers = yield* Effect.all(Arr.makeBy(4, () => onItsOwn(Layer.build(Layer.fresh(ClosingsPostgres.layer)))))
      const closers = servers.map((server: Context.Context<Closings>) =>
        Effect.provideContext(afterMidnight(Effect.repeat(close(id), { times: 5 })), server)
      )
      yield* Effect.all([...Arr.makeBy(60, sell), ...closers], { concurrency: "unbounded", discard: true })
      yield* afterMidnight(close(id, nextDay))
      const days = (yield* closingsOf(id)).map((content) => content.day)
      assert.deepStrictEqual(days, [nextDay, day])
      assert.deepStrictEqual(yield* violatedInvariants, [])
      const reports: Array<ReadonlyArray<number | null>> = []
      const report = (...progress: ReadonlyArray<number | null>) => Effect.sync(() => void reports.push(progress))
      const verified = yield* Effect.provideService(verifyClosings(), ReportProgress, report)
      assert.deepStrictEqual(verified.broken, [])
      assert.deepStrictEqual(reports.at(-1), [verified.closings, verified.closings])
    }).pipe(Effect.scoped)
  )

  // The calls that a process has made before it dies.
  it.effect.each([
    ["the end of the day", 1],
    ["the figures", 2],
    ["the stored closing", 3]
  ] as const)("is completed by another process when one dies after %s", ([, calls]) =>
    Effect.gen(function* () {
      const { id, ledger } = yield* company
      const closings = yield* Closings
      const which = { companyId: CompanyId.make(id), day }
      const order = yield* noon(reservedOrder(ledger, intentOf(id, "sale", 1_000)))
      yield* closings.end(which)
      if (calls > 1) yield* closings.figures(which)
      if (calls > 2) yield* afterMidnight(close(id))
      yield* beforeMidnight(settled(ledger, order, confirm))
      yield* afterMidnight(close(id))
      assert.deepInclude(figuresOf(yield* contentOf(id, day)), { sales: 0, held: 1_000, closing: 100_000 })
      assert.deepStrictEqual(yield* violatedInvariants, [])
    }).pipe(Effect.scoped)
  )

  it.effect("counts a sale that failed on a day before the first ledger entry in the first closing", () =>
    Effect.gen(function* () {
      const { id, ledger } = yield* company
      const dayBehind = at("2026-03-01T12:00:00-04:00")
      const order = yield* dayBehind(reservedOrder(ledger, intentOf(id, "early", 1_000)))
      yield* dayBehind(settled(ledger, order, release))
      yield* afterMidnight(close(id))
      const counted = (yield* contentOf(id, day)).services.map(({ amount, count, status }) => [status, count, amount])
      assert.deepStrictEqual(counted, [["FAILED", 1, 1_000]])
      assert.deepStrictEqual(yield* violatedInvariants, [])
    }).pipe(Effect.scoped)
  )

  it.effect("is stored for every day, also for days without movements", () =>
    Effect.gen(function* () {
      const { id } = yield* company
      yield* close(id, "2026-03-05")
      const days = (yield* closingsOf(id)).map(({ closing, day, opening }) => [day, opening, closing])
      assert.deepStrictEqual(days, [
        ["2026-03-05", 100_000, 100_000],
        ["2026-03-04", 100_000, 100_000],
        ["2026-03-03", 100_000, 100_000],
        ["2026-03-02", 0, 100_000]
      ])
    }).pipe(Effect.scoped)
  )
})
