import { DateTime, Effect, Layer, Order } from "effect"
import { type Claim, type Claimed, Unresolved } from "../../core/ports/Unresolved.ts"
import { Books, type CompanyBooks, isUnresolved, type Sale } from "./Books.ts"

const notAfter = (instant: DateTime.Utc | null, now: DateTime.Utc): boolean =>
  instant !== null && DateTime.isLessThanOrEqualTo(instant, now)

// Asked about on demand is whatever this cycle has not asked yet; a PROCESSING sale only once its own call must have
// ended.
const isWanted = ({ askAt, askedAt, status }: Sale, { now, which }: Claim): boolean =>
  which === "due"
    ? notAfter(askAt, now)
    : (notAfter(askAt, now) || status === "PENDING") && (askedAt === null || DateTime.isLessThan(askedAt, now))

const isFree = ({ leasedUntil }: Sale, { now }: Claim): boolean => leasedUntil === null || notAfter(leasedUntil, now)

const byAskAt = Order.mapInput(Order.Number, ({ sale }: { readonly sale: Sale }) =>
  sale.askAt === null ? 0 : DateTime.toEpochMillis(sale.askAt)
)

const claimIn = (companies: Iterable<CompanyBooks>, claim: Claim): ReadonlyArray<Claimed> => {
  const found = []
  for (const books of companies) {
    for (const sale of books.sales.values()) {
      if (isUnresolved(sale) && isFree(sale, claim) && isWanted(sale, claim)) found.push({ books, sale })
    }
  }
  const leasedUntil = DateTime.addDuration(claim.now, claim.lease)
  return found
    .sort(byAskAt)
    .slice(0, claim.limit)
    .map(({ books, sale }) => {
      books.sales.set(sale.order.transactionId, { ...sale, leasedUntil, askedAt: claim.now })
      return { order: sale.order, notFound: sale.notFound }
    })
}

/** The sales that recovery asks about, in memory. */
export const layer = Layer.effect(
  Unresolved,
  Effect.map(Books, ({ all }) => Unresolved.of({ claim: (claim) => Effect.sync(() => claimIn(all(), claim)) }))
)
