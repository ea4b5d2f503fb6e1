import { Effect, Layer } from "effect"
import { type Claim, type Claimed, Unresolved } from "../../core/ports/Unresolved.ts"
import { Books, type CompanyBooks } from "./Books.ts"
import { claimable, leased } from "./Claims.ts"

const claimIn = (companies: Iterable<CompanyBooks>, claim: Claim): ReadonlyArray<Claimed> => {
  const sales = [...companies].flatMap((books) => [...books.sales.values()].map((sale) => ({ ...sale, books })))
  return claimable(sales, claim).map(({ books, ...sale }) => {
    books.sales.set(sale.order.transactionId, { ...sale, ...leased(claim) })
    return { order: sale.order, claimedAt: claim.now, notFound: sale.notFound, askAt: sale.askAt }
  })
}

/** `Unresolved` in memory. */
export const layer = Layer.effect(
  Unresolved,
  Effect.map(Books, ({ all }) => Unresolved.of({ claim: (claim) => Effect.sync(() => claimIn(all(), claim)) }))
)
