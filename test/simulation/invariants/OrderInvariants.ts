import { DateTime, Duration } from "effect"
import type { Limits } from "../../../core/domain/Account.ts"
import { periodsAt, periodsOf } from "../../../core/domain/LocalTime.ts"
import type { Order } from "../../../core/domain/Sale.ts"
import { clockError_max_ms } from "../engine/OutsideCall.ts"
import { type ObservedSale, reportViolation, type Simulation } from "../engine/Simulation.ts"

const countsTowardsLimits = ({ status }: ObservedSale): boolean => status !== "FAILED" && status !== "REVERSED"

/** The limits before the last observed change, and the time when the change was observed. */
interface FormerLimits {
  readonly limits: Limits
  readonly until_ms: number
}

/**
 * Checks that no sale exceeds a limit. For each sale, it adds up this sale and the earlier sales of the same local day, week
 * and month. The day is the day recorded with each sale. Contract: 2.3.
 */
export const checkLimits = (sim: Simulation) => {
  const known = new Map<number, Limits>()
  const former = new Map<number, FormerLimits>()

  // Operators may have changed the limits between the acceptance of a sale and this check. The sale passes if it fits
  // the limits before or after the change.
  const heldFor = ({ companyId, createdAt }: Order): ReadonlyArray<Limits> => {
    const limits = sim.store.view.limits(companyId)
    const before = known.get(companyId)
    known.set(companyId, limits)
    if (before !== undefined && periods.some((period) => before[period] !== limits[period])) {
      former.set(companyId, { limits: before, until_ms: sim.eventLoop.now_ms })
    }
    const last = former.get(companyId)
    const changedBy_ms = sim.epoch_ms + (last?.until_ms ?? 0) + clockError_max_ms
    return last !== undefined && DateTime.toEpochMillis(createdAt) <= changedBy_ms ? [limits, last.limits] : [limits]
  }

  return (order: Order): void => {
    const atHearing = heldFor(order)
    sim.store.look(() => {
      const { companyId, createdAt, transactionId } = order
      const own = periodsAt(createdAt)
      const spent = { daily: 0, weekly: 0, monthly: 0 }
      for (const sale of sim.store.view.sales(companyId)) {
        if (!countsTowardsLimits(sale) || sale.order.transactionId > transactionId) continue
        const its = periodsOf(sale.day)
        for (const period of periods)
          if (its[periodStarts[period]] === own[periodStarts[period]]) spent[period] += sale.order.amount
      }
      const possible = [...atHearing, sim.store.view.limits(companyId)]
      for (const period of periods) {
        const isBounded = possible.every((limits) => limits[period] > 0)
        const most = Math.max(...possible.map((limits) => limits[period]))
        if (isBounded && spent[period] > most) {
          const at = DateTime.formatIso(createdAt)
          reportViolation(sim, "no sale exceeds a limit", `${period}: spent ${spent[period]}, limit ${most}, at ${at}`)
        }
      }
    })
  }
}

const periods = ["daily", "weekly", "monthly"] as const
const periodStarts = { daily: "day", weekly: "week", monthly: "month" } as const

/**
 * Maximum age of a reservation when its order is sent. An insurance has one more step before the order, and this step
 * may take the same time again.
 */
const fresh_max_ms = Duration.toMillis(Duration.seconds(10))

/** Checks that every order to a supplier has a reservation, is sent once, and is sent in time. */
export interface OrderChecks {
  /** Called when a process is about to reserve. */
  readonly reserving: (xid: string) => void
  /** Called when a workflow sends the order. */
  readonly sending: (order: Order) => void
  /** Called when the order has reached the supplier. */
  readonly arrived: (order: Order) => void
}

export const checkOrders = (sim: Simulation): OrderChecks => {
  const asked_ms = new Map<string, number>()
  const sent = new Map<number, number>()

  // On SQL, this check may run later than the arrival. By then, a key whose refused sale is a day old may have a new
  // sale with the same xid. Sales recorded after the arrival are therefore ignored, with a tolerance for clocks that
  // are ahead.
  const isCovered = (order: Order, arrived_ms: number) => {
    const sales = [...sim.store.view.sales(order.companyId)]
    const sale = sales.find(({ order: { transactionId } }) => transactionId === order.transactionId)
    if (sale === undefined || sale.order.xid !== order.xid || sale.order.amount !== order.amount)
      return reportViolation(sim, "no order without a reservation", `${order.xid} has no reservation`)
    const wasThere = ({ order: { createdAt } }: ObservedSale) =>
      DateTime.toEpochMillis(createdAt) < arrived_ms + clockError_max_ms
    const other = sales
      .filter((each) => each.order.xid === order.xid && each !== sale && each.status !== "FAILED")
      .find(wasThere)
    if (other !== undefined)
      reportViolation(
        sim,
        "an xid names one sale",
        `${order.xid} also names sale ${other.order.transactionId}, ${other.status}`
      )
  }

  return {
    reserving: (xid) => void asked_ms.set(xid, sim.eventLoop.now_ms),
    sending: ({ service, transactionId, xid }) => {
      const age_ms = sim.eventLoop.now_ms - (asked_ms.get(xid) ?? 0)
      const steps = service.type === "insurance" ? 2 : 1
      if (age_ms > steps * fresh_max_ms)
        reportViolation(sim, "no order long after its reservation", `the reservation of ${xid} is ${age_ms} ms old`)
      const times = (sent.get(transactionId) ?? 0) + 1
      sent.set(transactionId, times)
      if (times > 1) reportViolation(sim, "a sale is sent once", `sale ${transactionId} is sent twice`)
    },
    arrived: (order) => {
      const { now_ms } = sim.eventLoop
      sim.store.look(() => isCovered(order, now_ms))
    }
  }
}
