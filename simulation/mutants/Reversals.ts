import type { Effect } from "effect"
import { consume } from "../../adapters/memory/Books.ts"
import { ReversalVerdict } from "../../core/domain/Reversal.ts"
import type { ReversalSettlement } from "../../core/ports/Reversals.ts"
import type { Bench } from "../course/Simulation.ts"
import { after, andThen, companyIn, type Mutant, onBehalf, reversalsMutant } from "./Mutant.ts"

/** Settles a reversal again as if it were not settled. */
const reopened = <A, E>(bench: Bench, { under }: ReversalSettlement, settled: Effect.Effect<A, E>) =>
  after(() => {
    const { id, order } = under.reversal
    const { reversals } = companyIn(bench, order.companyId)
    const known = reversals.get(id)
    if (known !== undefined) reversals.set(id, { ...known, status: "PENDING" })
  }, settled)

/** Mutants of reversals. */
export const reversalMutants: ReadonlyArray<Mutant> = [
  reversalsMutant("a reversal is credited as often as it is confirmed", ({ settle }, bench) => ({
    settle: (settlement) => reopened(bench, settlement, settle(settlement))
  })),
  reversalsMutant("operators do not ask whether the reversal is over", ({ settle }, bench) => ({
    settle: (settlement) =>
      onBehalf((activity) =>
        activity === "operator" ? reopened(bench, settlement, settle(settlement)) : settle(settlement)
      )
  })),
  reversalsMutant("the money comes back before the provider has confirmed", ({ settle }) => ({
    settle: (settlement) =>
      settle(settlement.verdict._tag === "Hold" ? { ...settlement, verdict: ReversalVerdict.Confirm() } : settlement)
  })),
  reversalsMutant("two reversals of one sale go on at once", ({ begin }, bench) => ({
    begin: (intent) =>
      after(() => {
        const { reversals } = companyIn(bench, intent.companyId)
        for (const [id, entry] of reversals)
          if (entry.reversal.order.transactionId === intent.transactionId && entry.status === "PENDING")
            reversals.set(id, { ...entry, status: "DENIED" })
      }, begin(intent))
  })),
  reversalsMutant("a reversal gives no consumption back", ({ settle }, bench) => ({
    settle: (settlement) =>
      andThen(settle(settlement), ({ won }) => {
        const { order } = settlement.under.reversal
        const books = companyIn(bench, order.companyId)
        const sale = books.sales.get(order.transactionId)
        if (won && settlement.verdict._tag === "Confirm" && sale !== undefined) consume(books, sale.day, order.amount)
      })
  })),
  reversalsMutant("a silent provider has denied the reversal", ({ settle }) => ({
    settle: (settlement) =>
      settle(settlement.verdict._tag === "Hold" ? { ...settlement, verdict: ReversalVerdict.Deny() } : settlement)
  })),
  reversalsMutant("a denied reversal stays open", ({ settle }, bench) => ({
    settle: (settlement) =>
      andThen(settle(settlement), ({ won }) => {
        const { id, order } = settlement.under.reversal
        const { reversals } = companyIn(bench, order.companyId)
        const known = reversals.get(id)
        if (won && settlement.verdict._tag === "Deny" && known !== undefined)
          reversals.set(id, { ...known, status: "PENDING", askAt: null })
      })
  }))
]
