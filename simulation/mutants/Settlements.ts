import { Effect } from "effect"
import { consume, type Sale } from "../../adapters/memory/Books.ts"
import { owned } from "../../core/domain/Balance.ts"
import { dayOf } from "../../core/domain/LocalTime.ts"
import { Centavos } from "../../core/domain/Money.ts"
import { Verdict } from "../../core/domain/Sale.ts"
import type { Settled, Settlement } from "../../core/ports/Ledger.ts"
import type { Bench } from "../course/Simulation.ts"
import { after, andThen, companyIn, ledgerMutant, type Mutant, onBehalf } from "./Mutant.ts"

const saleIn = (bench: Bench, { order }: Settlement): Sale | undefined =>
  companyIn(bench, order.companyId).sales.get(order.transactionId)

const isRefusal = ({ _tag }: Verdict): boolean => _tag === "Release" || _tag === "Free"

const refused = Verdict.Release({ refusal: "TRANSACTION_REJECTED" })

/** A mutant of `settle` that changes the books after it has settled a sale with a matching verdict. */
const also = (
  name: string,
  when: (verdict: Verdict) => boolean,
  more: (bench: Bench, settlement: Settlement, settled: Settled) => void
): Mutant =>
  ledgerMutant(name, ({ settle }, bench) => ({
    settle: (settlement) =>
      andThen(settle(settlement), (settled) => {
        if (settled.won && when(settlement.verdict)) more(bench, settlement, settled)
      })
  }))

/** Mutants of `settle` and of its callers. */
export const settlementMutants: ReadonlyArray<Mutant> = [
  ledgerMutant("settle does not ask whether the sale is over", ({ settle }, bench) => ({
    settle: (settlement) =>
      after(() => {
        const sale = saleIn(bench, settlement)
        if (sale === undefined) return
        companyIn(bench, settlement.order.companyId).sales.set(settlement.order.transactionId, {
          ...sale,
          status: "PENDING"
        })
      }, settle(settlement))
  })),
  ledgerMutant("who settles second believes to have won", ({ settle }) => ({
    settle: (settlement) => Effect.map(settle(settlement), (settled) => ({ ...settled, won: true }))
  })),
  ledgerMutant("a silent provider is a refusal", ({ settle }) => ({
    settle: (settlement) =>
      onBehalf((activity) =>
        settle(
          activity === "sale" && settlement.verdict._tag === "Hold" ? { ...settlement, verdict: refused } : settlement
        )
      )
  })),
  ledgerMutant("a silent provider has delivered", ({ settle }) => ({
    settle: (settlement) =>
      onBehalf((activity) => {
        const silent = activity === "sale" && settlement.verdict._tag === "Hold"
        const delivery = { authCode: "?", rechargeToken: null, validity: { from: "2027-01-01", until: "2027-12-31" } }
        return settle(silent ? { ...settlement, verdict: Verdict.Confirm({ delivery }) } : settlement)
      })
  })),
  ledgerMutant("recovery takes silence for a refusal", ({ settle }) => ({
    settle: (settlement) =>
      onBehalf((activity) =>
        settle(
          activity === "recovery" && settlement.verdict._tag === "Hold"
            ? { ...settlement, verdict: refused }
            : settlement
        )
      )
  })),
  also(
    "an entry is written twice",
    ({ _tag }) => _tag === "Confirm",
    (bench, { order }) => {
      const { entries } = companyIn(bench, order.companyId)
      const last = entries.at(-1)
      if (last !== undefined) entries.push({ ...last, id: last.id })
    }
  ),
  also(
    "no entry is written",
    ({ _tag }) => _tag === "Confirm",
    (bench, { order }) => {
      companyIn(bench, order.companyId).entries.pop()
    }
  ),
  also(
    "an entry tells the balance before it",
    ({ _tag }) => _tag === "Confirm",
    (bench, { order }) => {
      const { entries } = companyIn(bench, order.companyId)
      const last = entries.pop()
      if (last !== undefined) entries.push({ ...last, balance: Centavos.make(last.balance - last.amount) })
    }
  ),
  also("consumption is given back on the day of the refusal", isRefusal, (bench, { at, order }) => {
    const books = companyIn(bench, order.companyId)
    const sale = books.sales.get(order.transactionId)
    const today = dayOf(at)
    if (sale === undefined || today === sale.day) return
    consume(books, sale.day, order.amount)
    books.consumption.set(today, ((books.consumption.get(today) ?? 0) - order.amount) as Centavos)
  }),
  also("consumption is not given back", isRefusal, (bench, settlement) => {
    const sale = saleIn(bench, settlement)
    if (sale !== undefined) consume(companyIn(bench, settlement.order.companyId), sale.day, settlement.order.amount)
  }),
  also("a refused sale stays charged", isRefusal, (bench, { order }) => {
    const books = companyIn(bench, order.companyId)
    const { available, held } = books.purse.balance
    books.purse = { ...books.purse, balance: { available: Centavos.make(available - order.amount), held } }
  }),
  also(
    "what was charged stays held",
    ({ _tag }) => _tag === "Confirm",
    (bench, { order }) => {
      const books = companyIn(bench, order.companyId)
      const { available, held } = books.purse.balance
      const balance = { available, held: Centavos.make(held + order.amount) }
      if (owned(balance) > 0) books.purse = { ...books.purse, balance }
    }
  ),
  also("a refused policy leaves its insurance open", isRefusal, (bench, settlement) => {
    const { insurances } = companyIn(bench, settlement.order.companyId)
    const id = saleIn(bench, settlement)?.insuranceId
    const insurance = id == null ? undefined : insurances.get(id)
    if (insurance !== undefined) insurances.set(insurance.id, { ...insurance, state: "emitiendo" })
  }),
  also(
    "a policy has no number",
    ({ _tag }) => _tag === "Confirm",
    (bench, settlement) => {
      const { insurances } = companyIn(bench, settlement.order.companyId)
      const id = saleIn(bench, settlement)?.insuranceId
      const insurance = id == null ? undefined : insurances.get(id)
      if (insurance !== undefined) insurances.set(insurance.id, { ...insurance, policy: null })
    }
  )
]
