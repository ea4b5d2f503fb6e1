import { DateTime, Effect, Layer, Order } from "effect"
import { countsOn, latestTrusted } from "../../core/domain/Recovery.ts"
import { isUnresolved } from "../../core/domain/Status.ts"
import type { Settlement } from "../../core/ports/Ledger.ts"
import type { ReversalSettlement } from "../../core/ports/Reversals.ts"
import { type ClaimedSale, type RecoveryClaim, Unresolved } from "../../core/ports/Unresolved.ts"
import { type Asking, Books, type CompanyBooks } from "./Books.ts"

const notAfter = (instant: DateTime.Utc | null, now: DateTime.Utc): boolean =>
  instant !== null && DateTime.isLessThanOrEqualTo(instant, now)

const after = (instant: DateTime.Utc | null, now: DateTime.Utc): boolean =>
  instant !== null && DateTime.isGreaterThan(instant, now)

// A claim of all operations skips an operation if this recovery cycle has already sent a status query about the operation.
// The claim includes an operation in PROCESSING only when the provider call must have ended. A timestamp in the future
// comes from a wrong clock and does not delay the claim.
const isWanted = ({ askAt, askedAt, status }: Asking, { began, lease, now, which }: RecoveryClaim): boolean => {
  if (which === "due") return notAfter(askAt, began)
  const mayBeAsked = notAfter(askAt, began) || after(askAt, latestTrusted(now, lease)) || status === "PENDING"
  return mayBeAsked && (askedAt === null || DateTime.isLessThan(askedAt, began) || after(askedAt, now))
}

const isFree = ({ leasedUntil }: Asking, { lease, now }: RecoveryClaim): boolean =>
  leasedUntil === null || notAfter(leasedUntil, now) || after(leasedUntil, latestTrusted(now, lease))

const byAskAt = Order.mapInput(Order.Number, ({ askAt }: Asking) =>
  askAt === null ? 0 : DateTime.toEpochMillis(askAt)
)

/** The unresolved operations that match a claim, longest overdue first. */
export const claimable = <A extends Asking>(operations: Iterable<A>, claim: RecoveryClaim): ReadonlyArray<A> =>
  [...operations]
    .filter((each) => isUnresolved(each) && isFree(each, claim) && isWanted(each, claim))
    .sort(byAskAt)
    .slice(0, claim.limit)

/** The lease that a claim sets on an operation. */
export const leased = ({ lease, now }: RecoveryClaim) => ({
  leasedUntil: DateTime.addDuration(now, lease),
  askedAt: now
})

/**
 * Whether a settlement still applies to the operation. A final answer of the provider always applies. A conclusion from
 * "not found" answers may come too late, after another recovery has claimed the operation.
 */
export const concludes = (before: Asking, settlement: Settlement | ReversalSettlement): boolean => {
  const { _tag } = settlement.verdict
  return _tag === "Confirm" || _tag === "Free" || countsOn(settlement, before)
}

const claimIn = (companies: Iterable<CompanyBooks>, claim: RecoveryClaim): ReadonlyArray<ClaimedSale> => {
  const sales = [...companies].flatMap((books) => [...books.sales.values()].map((sale) => ({ ...sale, books })))
  return claimable(sales, claim).map(({ books, ...sale }) => {
    books.sales.set(sale.order.transactionId, { ...sale, ...leased(claim) })
    return { order: sale.order, claimedAt: claim.now, notFound: sale.notFound, askAt: sale.askAt }
  })
}

export const layer = Layer.effect(
  Unresolved,
  Effect.map(Books, ({ all }) => Unresolved.of({ claim: (claim) => Effect.sync(() => claimIn(all(), claim)) }))
)
