import { DateTime, Duration } from "effect"
import type { Order } from "../../core/domain/Sale.ts"

/** A pending sale is decided when it is asked about at this age or later. */
const decidedAfter = Duration.seconds(15)

export const hexOf = (xid: string): string => xid.slice(xid.lastIndexOf("-") + 1)

/** What proves that a sale was delivered. The xid makes it, so that every answer about one sale is the same. */
export const simulatedCode = (xid: string): string => `SBX${hexOf(xid).slice(0, 12).toUpperCase()}`

/** Is a sale to this identifier, if it is not refused, left without a firm answer? Contract: 7, Simulator scenarios. */
export const isLeftPending = ({ identifier }: Order): boolean => identifier.endsWith("2")

/**
 * How a sale that was not refused stands when it is asked about. One that was left pending ends by the last two
 * characters of its identifier: 02 is denied, 12 never resolves, any other is confirmed.
 */
export const standing = (order: Order, now: DateTime.Utc): "undecided" | "denied" | "confirmed" => {
  if (!isLeftPending(order)) return "confirmed"
  const early = Duration.isLessThan(DateTime.distance(order.createdAt, now), decidedAfter)
  if (early || order.identifier.endsWith("12")) return "undecided"
  return order.identifier.endsWith("02") ? "denied" : "confirmed"
}
