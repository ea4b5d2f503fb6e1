import { Effect } from "effect"
import { consume, type Sale } from "../../../adapters/memory/Books.ts"
import { owned } from "../../../core/domain/Account.ts"
import { dayOf } from "../../../core/domain/LocalTime.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import { ReversalVerdict } from "../../../core/domain/Reversal.ts"
import { Verdict } from "../../../core/domain/Sale.ts"
import type { Settled, Settlement } from "../../../core/ports/Ledger.ts"
import type { ReversalSettlement } from "../../../core/ports/Reversals.ts"
import type { VariantContext } from "../run/Simulate.ts"
import { byActivity, companyIn, ledgerMutant, type Mutant, reversalsMutant, runAfter, runBefore } from "./Mutant.ts"

/** Settles a reversal a second time, as if it were not settled yet. */
const reopened = <A, E>(bench: VariantContext, { unresolved }: ReversalSettlement, settled: Effect.Effect<A, E>) =>
  runBefore(() => {
    const { id, order } = unresolved.reversal
    const { reversals } = companyIn(bench, order.companyId)
    const known = reversals.get(id)
    if (known !== undefined) reversals.set(id, { ...known, status: "PENDING" })
  }, settled)

/** Mutants of reversals. */
export const reversalMutants: ReadonlyArray<Mutant> = [
  reversalsMutant("a reversal is credited at every confirmation", ({ settle }, bench) => ({
    settle: (settlement) => reopened(bench, settlement, settle(settlement))
  })),
  reversalsMutant("operators can resolve a settled reversal", ({ settle }, bench) => ({
    settle: (settlement) =>
      byActivity((activity) =>
        activity === "operator" ? reopened(bench, settlement, settle(settlement)) : settle(settlement)
      )
  })),
  reversalsMutant("a reversal is credited before the provider confirms it", ({ settle }) => ({
    settle: (settlement) =>
      settle(settlement.verdict._tag === "Hold" ? { ...settlement, verdict: ReversalVerdict.Confirm() } : settlement)
  })),
  reversalsMutant("a sale may have two open reversals", ({ begin }, bench) => ({
    begin: (intent) =>
      runBefore(() => {
        const { reversals } = companyIn(bench, intent.companyId)
        for (const [id, entry] of reversals)
          if (entry.reversal.order.transactionId === intent.transactionId && entry.status === "PENDING")
            reversals.set(id, { ...entry, status: "DENIED" })
      }, begin(intent))
  })),
  reversalsMutant("a reversal does not reduce consumption", ({ settle }, bench) => ({
    settle: (settlement) =>
      runAfter(settle(settlement), ({ won }) => {
        const { order } = settlement.unresolved.reversal
        const books = companyIn(bench, order.companyId)
        const sale = books.sales.get(order.transactionId)
        if (won && settlement.verdict._tag === "Confirm" && sale !== undefined) consume(books, sale.day, order.amount)
      })
  })),
  reversalsMutant("silence of the provider is treated as a denied reversal", ({ settle }) => ({
    settle: (settlement) =>
      settle(settlement.verdict._tag === "Hold" ? { ...settlement, verdict: ReversalVerdict.Deny() } : settlement)
  })),
  reversalsMutant("a denied reversal stays pending", ({ settle }, bench) => ({
    settle: (settlement) =>
      runAfter(settle(settlement), ({ won }) => {
        const { id, order } = settlement.unresolved.reversal
        const { reversals } = companyIn(bench, order.companyId)
        const known = reversals.get(id)
        if (won && settlement.verdict._tag === "Deny" && known !== undefined)
          reversals.set(id, { ...known, status: "PENDING", askAt: null })
      })
  }))
]

const saleIn = (bench: VariantContext, { order }: Settlement): Sale | undefined =>
  companyIn(bench, order.companyId).sales.get(order.transactionId)

const isRefusal = ({ _tag }: Verdict): boolean => _tag === "Release" || _tag === "Free"

const refused = Verdict.Release({ refusal: "TRANSACTION_REJECTED" })

/** A mutant of `settle`. After `settle` has settled a sale with a matching verdict, the mutant changes the books. */
const settlementMutant = (
  name: string,
  when: (verdict: Verdict) => boolean,
  more: (bench: VariantContext, settlement: Settlement, settled: Settled) => void
): Mutant =>
  ledgerMutant(name, ({ settle }, bench) => ({
    settle: (settlement) =>
      runAfter(settle(settlement), (settled) => {
        if (settled.won && when(settlement.verdict)) more(bench, settlement, settled)
      })
  }))

/** Mutants of `settle` and of the code that calls it. */
export const settlementMutants: ReadonlyArray<Mutant> = [
  ledgerMutant("settle does not check whether the sale is settled", ({ settle }, bench) => ({
    settle: (settlement) =>
      runBefore(() => {
        const sale = saleIn(bench, settlement)
        if (sale === undefined) return
        companyIn(bench, settlement.order.companyId).sales.set(settlement.order.transactionId, {
          ...sale,
          status: "PENDING"
        })
      }, settle(settlement))
  })),
  ledgerMutant("a second settlement is reported as the first", ({ settle }) => ({
    settle: (settlement) => Effect.map(settle(settlement), (settled) => ({ ...settled, won: true }))
  })),
  ledgerMutant("a sale treats silence of the provider as a refusal", ({ settle }) => ({
    settle: (settlement) =>
      byActivity((activity) =>
        settle(
          activity === "sale" && settlement.verdict._tag === "Hold" ? { ...settlement, verdict: refused } : settlement
        )
      )
  })),
  ledgerMutant("a sale treats silence of the provider as a delivery", ({ settle }) => ({
    settle: (settlement) =>
      byActivity((activity) => {
        const silent = activity === "sale" && settlement.verdict._tag === "Hold"
        const delivery = { authCode: "?", rechargeToken: null, validity: { from: "2027-01-01", until: "2027-12-31" } }
        return settle(silent ? { ...settlement, verdict: Verdict.Confirm({ delivery }) } : settlement)
      })
  })),
  ledgerMutant("recovery treats silence of the provider as a refusal", ({ settle }) => ({
    settle: (settlement) =>
      byActivity((activity) =>
        settle(
          activity === "recovery" && settlement.verdict._tag === "Hold"
            ? { ...settlement, verdict: refused }
            : settlement
        )
      )
  })),
  settlementMutant(
    "an entry is written twice",
    ({ _tag }) => _tag === "Confirm",
    (bench, { order }) => {
      const { entries } = companyIn(bench, order.companyId)
      const last = entries.at(-1)
      if (last !== undefined) entries.push({ ...last, id: last.id })
    }
  ),
  settlementMutant(
    "no entry is written",
    ({ _tag }) => _tag === "Confirm",
    (bench, { order }) => {
      companyIn(bench, order.companyId).entries.pop()
    }
  ),
  settlementMutant(
    "an entry records the balance before it",
    ({ _tag }) => _tag === "Confirm",
    (bench, { order }) => {
      const { entries } = companyIn(bench, order.companyId)
      const last = entries.pop()
      if (last !== undefined) entries.push({ ...last, balance: Centavos.make(last.balance - last.amount) })
    }
  ),
  settlementMutant("a refusal reduces the consumption of its own day", isRefusal, (bench, { at, order }) => {
    const books = companyIn(bench, order.companyId)
    const sale = books.sales.get(order.transactionId)
    const today = dayOf(at)
    if (sale === undefined || today === sale.day) return
    consume(books, sale.day, order.amount)
    books.consumption.set(today, ((books.consumption.get(today) ?? 0) - order.amount) as Centavos)
  }),
  settlementMutant("a refusal does not reduce consumption", isRefusal, (bench, settlement) => {
    const sale = saleIn(bench, settlement)
    if (sale !== undefined) consume(companyIn(bench, settlement.order.companyId), sale.day, settlement.order.amount)
  }),
  settlementMutant("a refusal does not release the money", isRefusal, (bench, { order }) => {
    const books = companyIn(bench, order.companyId)
    const { available, held } = books.purse.balance
    books.purse = { ...books.purse, balance: { available: Centavos.make(available - order.amount), held } }
  }),
  settlementMutant(
    "a charged amount stays held",
    ({ _tag }) => _tag === "Confirm",
    (bench, { order }) => {
      const books = companyIn(bench, order.companyId)
      const { available, held } = books.purse.balance
      const balance = { available, held: Centavos.make(held + order.amount) }
      if (owned(balance) > 0) books.purse = { ...books.purse, balance }
    }
  ),
  settlementMutant("an insurance stays open after its policy was refused", isRefusal, (bench, settlement) => {
    const { insurances } = companyIn(bench, settlement.order.companyId)
    const id = saleIn(bench, settlement)?.insuranceId
    const insurance = id == null ? undefined : insurances.get(id)
    if (insurance !== undefined) insurances.set(insurance.id, { ...insurance, state: "emitiendo" })
  }),
  settlementMutant(
    "an issued policy gets no number",
    ({ _tag }) => _tag === "Confirm",
    (bench, settlement) => {
      const { insurances } = companyIn(bench, settlement.order.companyId)
      const id = saleIn(bench, settlement)?.insuranceId
      const insurance = id == null ? undefined : insurances.get(id)
      if (insurance !== undefined) insurances.set(insurance.id, { ...insurance, policy: null })
    }
  )
]
