import { DateTime, Effect, Layer, Order } from "effect"
import type { FollowedStatus } from "../../core/domain/FollowUp.ts"
import { latestTrusted } from "../../core/domain/Recovery.ts"
import { type ClaimedCheck, type FollowUpClaim, FollowUps, type SettledSale } from "../../core/ports/FollowUps.ts"
import { Books, type CheckEntry, type CompanyBooks, type Reached, type Sale } from "./Books.ts"

const inOrder = Order.combine(
  Order.mapInput(DateTime.Order, ({ settledAt }: Reached) => settledAt),
  Order.mapInput(Order.Number, ({ transactionId }: Reached) => transactionId)
)
const isAfter = Order.isGreaterThan(inOrder)

/** Whether later checks ask the provider about the sale. */
export const isFollowed = (
  sale: Sale
): sale is Sale & { readonly processedAt: DateTime.Utc; readonly status: FollowedStatus } =>
  sale.processedAt !== null &&
  (sale.status === "SUCCESS" || sale.status === "FAILED") &&
  sale.order.environment === "production"

/** A settled sale and its position among all settled sales. */
interface FollowedSale extends SettledSale, Reached {}

/** The settled sales of companies in production: those after a position and not after an instant, by position. */
const settledAfter = (
  companies: Iterable<CompanyBooks>,
  reached: Reached,
  until: DateTime.Utc
): ReadonlyArray<FollowedSale> =>
  [...companies]
    .flatMap(({ sales }) => [...sales.values()].filter(isFollowed))
    .map(({ order, processedAt, status }) => ({
      order,
      status,
      settledAt: processedAt,
      transactionId: order.transactionId
    }))
    .filter((sale) => isAfter(sale, reached) && DateTime.isLessThanOrEqualTo(sale.settledAt, until))
    .sort(inOrder)

const before = (settledAt: DateTime.Utc): Reached => ({ settledAt, transactionId: 0 })

const isFree = ({ leasedUntil }: CheckEntry, { lease, now }: FollowUpClaim): boolean =>
  leasedUntil === null ||
  DateTime.isLessThanOrEqualTo(leasedUntil, now) ||
  DateTime.isGreaterThan(leasedUntil, latestTrusted(now, lease))

const finishIn = (checks: Map<number, CheckEntry>, claim: FollowUpClaim, reached: Reached | null): void => {
  const known = checks.get(claim.check.hours)
  const end = DateTime.addDuration(claim.now, claim.lease)
  if (known === undefined || known.leasedUntil === null || !DateTime.Equivalence(known.leasedUntil, end)) return
  checks.set(claim.check.hours, { reached: reached ?? known.reached, leasedUntil: null })
}

const claimIn = (
  checks: Map<number, CheckEntry>,
  companies: ReadonlyArray<CompanyBooks>,
  claim: FollowUpClaim
): ClaimedCheck | null => {
  const { began, check, lease, limit, now } = claim
  const start = DateTime.subtractDuration(began, check.lateAfter)
  const known = checks.get(check.hours) ?? { reached: before(start), leasedUntil: null }
  if (!isFree(known, claim)) return null
  checks.set(check.hours, { ...known, leasedUntil: DateTime.addDuration(now, lease) })
  const isLate = DateTime.isLessThan(known.reached.settledAt, start)
  const from = isLate ? before(start) : known.reached
  const due = settledAfter(companies, from, DateTime.subtractDuration(began, check.dueAfter)).slice(0, limit)
  const last = due.at(-1)
  const reached = last === undefined ? from : { settledAt: last.settledAt, transactionId: last.transactionId }
  return {
    sales: due.map(({ order, status }) => ({ order, status })),
    isLast: due.length < limit,
    skipped: isLate && settledAfter(companies, known.reached, start).length > 0,
    finish: (areAsked) => Effect.sync(() => finishIn(checks, claim, areAsked ? reached : null))
  }
}

const standsIn = ({ reversals, sales }: CompanyBooks, { order, status }: SettledSale): boolean => {
  const { transactionId, xid } = order
  const repeated = [...sales.values()].some(
    (later) => later.order.xid === xid && later.order.transactionId > transactionId
  )
  const reversed = [...reversals.values()].some(
    ({ reversal, status }) => reversal.order.transactionId === transactionId && status !== "DENIED"
  )
  return sales.get(transactionId)?.status === status && !repeated && !reversed
}

// Each method works in one synchronous step, so that no other fiber sees a partial change.
const make = Effect.map(Books, ({ all, checks, of }) =>
  FollowUps.of({
    claim: (claim) => Effect.sync(() => claimIn(checks, [...all()], claim)),
    stands: (sale) => Effect.sync(() => standsIn(of(sale.order.companyId), sale))
  })
)

/** `FollowUps` in memory. Tests compare the Postgres adapter with it. */
export const layer = Layer.effect(FollowUps, make)
