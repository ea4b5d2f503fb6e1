import { DateTime, Effect } from "effect"
import { type CompanyBooks, consume } from "../../../adapters/memory/Books.ts"
import type { Balance } from "../../../core/domain/Account.ts"
import { dayOf } from "../../../core/domain/LocalTime.ts"
import { Centavos, owned_max, zero } from "../../../core/domain/Money.ts"
import { type Intent, type Outcome, outcomeOf } from "../../../core/domain/Sale.ts"
import type { Ledger } from "../../../core/ports/Ledger.ts"
import { delayFiber } from "../engine/EventLoop.ts"
import type { VariantContext } from "../run/Simulate.ts"
import { companyIn, ledgerMutant, type Mutant, runAfter, runBefore } from "./Mutant.ts"

const hour_ms = 3_600_000

/** Mutants of idempotency. */
export const keyMutants: ReadonlyArray<Mutant> = [
  ledgerMutant("a replay does not compare the request body", ({ recall, reserve }) => ({
    reserve: (intent) => reserve({ ...intent, fingerprint: "any" }),
    recall: (companyId, key) => recall(companyId, key, "any")
  })),
  ledgerMutant("the xid does not derive from the key", ({ reserve }, { sim }) => ({
    reserve: (intent) =>
      reserve({ ...intent, xid: `${intent.xid.slice(0, -6)}${String(sim.eventLoop.now_ms).slice(-6)}` })
  })),
  ledgerMutant("a key is free once its sale is pending", ({ settle }, bench) => ({
    settle: (settlement) =>
      runAfter(settle(settlement), ({ won }) => {
        const { keys, sales } = companyIn(bench, settlement.order.companyId)
        const sale = sales.get(settlement.order.transactionId)
        if (won && settlement.verdict._tag === "Hold" && sale !== undefined) keys.delete(sale.key)
      })
  })),
  ledgerMutant("a key is forgotten after an hour", ({ reserve }, bench) => ({
    reserve: (intent) =>
      Effect.flatMap(DateTime.now, (now) =>
        runBefore(() => {
          const { keys } = companyIn(bench, intent.companyId)
          const known = keys.get(intent.key)
          const old_ms = known === undefined ? 0 : DateTime.toEpochMillis(now) - DateTime.toEpochMillis(known.claimedAt)
          if (old_ms > hour_ms) keys.delete(intent.key)
        }, reserve(intent))
      )
  })),
  ledgerMutant("two concurrent calls both find their key free", ({ reserve }, bench) => ({
    reserve: (intent) =>
      Effect.gen(function* () {
        const { keys } = companyIn(bench, intent.companyId)
        const isFree = !keys.has(intent.key)
        yield* delayFiber(bench.sim.eventLoop, bench.incarnation, 3)
        if (isFree) keys.delete(intent.key)
        return yield* reserve(intent)
      })
  })),
  ledgerMutant("a later settlement replaces the response of a key", ({ settle }, bench) => ({
    settle: (settlement) =>
      runAfter(settle(settlement), ({ won }) => {
        const { at, order, verdict } = settlement
        const { keys, sales } = companyIn(bench, order.companyId)
        const sale = sales.get(order.transactionId)
        const known = sale === undefined ? undefined : keys.get(sale.key)
        const outcome: Outcome | null = outcomeOf(order, verdict, at)
        if (won && outcome !== null && sale !== undefined && known?.reversalId === null)
          keys.set(sale.key, { ...known, outcome })
      })
  }))
]

type Reserve = Ledger["Service"]["reserve"]

const moment_ms = 3

/** Waits 3 ms, so that other events run in between. */
const letOthersRun = ({ incarnation, sim }: VariantContext) => delayFiber(sim.eventLoop, incarnation, moment_ms)

const plus = (balance: Balance, to: Balance, from: Balance): Balance => ({
  available: (balance.available + to.available - from.available) as Centavos,
  held: (balance.held + to.held - from.held) as Centavos
})

/**
 * Decides on a sale with an outdated balance and consumption, then books the sale on the present balance and
 * consumption.
 */
const judgedBy = (
  books: CompanyBooks,
  before: Pick<CompanyBooks, "purse" | "consumption">,
  reserve: Effect.Effect<unknown>
) => {
  const { purse } = books
  const consumption = new Map(books.consumption)
  const put = (all: ReadonlyMap<string, Centavos>) => {
    books.consumption.clear()
    for (const [day, total] of all) books.consumption.set(day, total)
  }
  put(before.consumption)
  books.purse = before.purse
  Effect.runSync(reserve)
  const spent = [...books.consumption].map(([day, total]) => [day, total - (before.consumption.get(day) ?? 0)] as const)
  books.purse = { ...purse, balance: plus(purse.balance, books.purse.balance, before.purse.balance) }
  put(consumption)
  for (const [day, centavos] of spent) consume(books, day, centavos)
}

const staleReserve =
  (reserve: Reserve, bench: VariantContext): Reserve =>
  (intent) =>
    Effect.gen(function* () {
      const books = companyIn(bench, intent.companyId)
      const before = { purse: books.purse, consumption: new Map(books.consumption) }
      yield* letOthersRun(bench)
      let answer: Effect.Effect<Effect.Success<ReturnType<Reserve>>, Effect.Error<ReturnType<Reserve>>> = Effect.never
      const context = yield* Effect.context<never>()
      judgedBy(
        books,
        before,
        Effect.sync(() => {
          answer = Effect.runSyncExitWith(context)(reserve(intent))
        })
      )
      return yield* answer
    })

/**
 * Decides on a sale with changed limits or a changed balance. Then restores the limits and books the sale on the true
 * balance.
 */
const withPurse = (
  bench: VariantContext,
  intent: Intent,
  purse: Partial<CompanyBooks["purse"]>,
  reserve: ReturnType<Reserve>
) =>
  Effect.suspend(() => {
    const books = companyIn(bench, intent.companyId)
    const before = books.purse
    const lent = { ...before, ...purse }
    books.purse = lent
    return Effect.onExit(reserve, () =>
      Effect.sync(() => {
        books.purse = {
          ...books.purse,
          limits: before.limits,
          balance: plus(before.balance, books.purse.balance, lent.balance)
        }
      })
    )
  })

const noLimits = { daily: zero, weekly: zero, monthly: zero }

const withoutInsurance = (intent: Intent): Intent => ({ ...intent, insuranceId: null })

/** Mutants of `reserve`. */
export const reservationMutants: ReadonlyArray<Mutant> = [
  ledgerMutant("limits and balance are read before the lock", ({ reserve }, bench) => ({
    reserve: staleReserve(reserve, bench)
  })),
  ledgerMutant("limits are not checked", ({ reserve }, bench) => ({
    reserve: (intent) => withPurse(bench, intent, { limits: noLimits }, reserve(intent))
  })),
  ledgerMutant("only the daily limit is checked", ({ reserve }, bench) => ({
    reserve: (intent) => {
      const { daily } = companyIn(bench, intent.companyId).purse.limits
      return withPurse(bench, intent, { limits: { ...noLimits, daily } }, reserve(intent))
    }
  })),
  ledgerMutant("a week and a month end with the day of the sale", ({ reserve }, bench) => ({
    reserve: (intent) =>
      Effect.flatMap(DateTime.now, (now) => {
        const { consumption } = companyIn(bench, intent.companyId)
        const later = [...consumption].filter(([day]) => day > dayOf(now))
        for (const [day] of later) consumption.delete(day)
        return Effect.onExit(reserve(intent), () =>
          Effect.sync(() => {
            for (const [day, total] of later) consumption.set(day, total)
          })
        )
      })
  })),
  ledgerMutant("the balance is not checked", ({ reserve }, bench) => ({
    reserve: (intent) => {
      const balance = { available: Centavos.make(owned_max / 2 - 0.5), held: zero }
      return withPurse(bench, intent, { balance }, reserve(intent))
    }
  })),
  ledgerMutant("reserve holds no money", ({ reserve }, bench) => ({
    reserve: (intent) =>
      runAfter(reserve(intent), (reserved) => {
        if (reserved._tag === "Replay") return
        const books = companyIn(bench, intent.companyId)
        const { available, held } = books.purse.balance
        const balance = {
          available: Centavos.make(available + intent.amount),
          held: Centavos.make(held - intent.amount)
        }
        books.purse = { ...books.purse, balance }
      })
  })),
  ledgerMutant("a sale counts in its UTC day", ({ reserve }, bench) => ({
    reserve: (intent) =>
      runAfter(reserve(intent), (reserved) => {
        if (reserved._tag === "Replay") return
        const { amount, createdAt, transactionId } = reserved.order
        const books = companyIn(bench, intent.companyId)
        const sale = books.sales.get(transactionId)
        if (sale === undefined) return
        const day = new Date(createdAt.epochMilliseconds).toISOString().slice(0, 10)
        consume(books, sale.day, -amount)
        consume(books, day, amount)
        books.sales.set(transactionId, { ...sale, day })
      })
  })),
  ledgerMutant("a held sale does not count towards limits", ({ reserve }, bench) => ({
    reserve: (intent) =>
      runAfter(reserve(intent), (reserved) => {
        if (reserved._tag === "Replay") return
        const books = companyIn(bench, intent.companyId)
        const sale = books.sales.get(reserved.order.transactionId)
        if (sale !== undefined) consume(books, sale.day, -intent.amount)
      })
  })),
  ledgerMutant("an insurance is linked after the reservation", ({ reserve }, bench) => ({
    reserve: (intent) =>
      Effect.gen(function* () {
        const reserved = yield* reserve(withoutInsurance(intent))
        if (reserved._tag === "Replay" || intent.insuranceId === null) return reserved
        yield* letOthersRun(bench)
        const { insurances, sales } = companyIn(bench, intent.companyId)
        const { transactionId } = reserved.order
        const insurance = insurances.get(intent.insuranceId)
        const sale = sales.get(transactionId)
        if (insurance !== undefined) insurances.set(insurance.id, { ...insurance, state: "cobrando", transactionId })
        if (sale !== undefined) sales.set(transactionId, { ...sale, insuranceId: intent.insuranceId })
        return reserved
      })
  })),
  ledgerMutant("a bill may be paid twice", ({ reserve }, bench) => ({
    reserve: (intent) =>
      runAfter(reserve({ ...intent, billId: null }), (reserved) => {
        if (reserved._tag === "Replay") return
        const { sales } = companyIn(bench, intent.companyId)
        const sale = sales.get(reserved.order.transactionId)
        if (sale !== undefined) sales.set(reserved.order.transactionId, { ...sale, billId: intent.billId })
      })
  }))
]
