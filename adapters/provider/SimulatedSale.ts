import { DateTime, Duration } from "effect"
import type { Order } from "../../core/domain/Sale.ts"

/** Age from which a status query decides a pending sale. */
const decidedAfter = Duration.seconds(15)

export const hexOf = (xid: string): string => xid.slice(xid.lastIndexOf("-") + 1)

/** The authorization code of a delivered sale. Derived from the xid, so that every answer about a sale is the same. */
export const simulatedCode = (xid: string): string => `SBX${hexOf(xid).slice(0, 12).toUpperCase()}`

/** Whether a sale to this identifier stays pending, unless it is refused. Contract: 7, Simulator scenarios. */
export const isLeftPending = ({ identifier }: Order): boolean => identifier.endsWith("2")

/**
 * The state of a sale that was not refused. The last two characters of the identifier decide a pending sale: 02 is
 * denied, 12 stays undecided, all others are confirmed.
 */
export const standing = (order: Order, now: DateTime.Utc): "undecided" | "denied" | "confirmed" => {
  if (!isLeftPending(order)) return "confirmed"
  const early = Duration.isLessThan(DateTime.distance(order.createdAt, now), decidedAfter)
  if (early || order.identifier.endsWith("12")) return "undecided"
  return order.identifier.endsWith("02") ? "denied" : "confirmed"
}
