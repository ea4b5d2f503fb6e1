import { DateTime, Duration } from "effect"
import type { Order } from "../../core/domain/Sale.ts"
import { clockError_max_ms } from "../engine/Call.ts"
import type { SaleSeen } from "../engine/Observed.ts"
import { broken, type Sim } from "../engine/Sim.ts"

/** What was reserved longer ago than this is not sent; the step before an insurer is asked may take as long again. */
const fresh_max_ms = Duration.toMillis(Duration.seconds(10))

/** What is true of every order that leaves for a supplier. */
export interface Orders {
  /** A process is about to reserve. */
  readonly reserving: (xid: string) => void
  /** A workflow tells a supplier to deliver. */
  readonly sending: (order: Order) => void
  /** The order has reached the supplier. */
  readonly arrived: (order: Order) => void
}

export const ordersLaw = (sim: Sim): Orders => {
  const asked_ms = new Map<string, number>()
  const sent = new Map<number, number>()

  // The books may be looked at only later, and once a refused sale is a day old its key, and so its xid, may name
  // another. What was recorded by a clock that is ahead was there all the same.
  const isCovered = (order: Order, arrived_ms: number) => {
    const sales = [...sim.store.eyes.sales(order.companyId)]
    const sale = sales.find(({ order: { transactionId } }) => transactionId === order.transactionId)
    if (sale === undefined || sale.order.xid !== order.xid || sale.order.amount !== order.amount)
      return broken(sim, "no order without a reservation", `${order.xid} has none`)
    const wasThere = ({ order: { createdAt } }: SaleSeen) =>
      DateTime.toEpochMillis(createdAt) < arrived_ms + clockError_max_ms
    const other = sales
      .filter((each) => each.order.xid === order.xid && each !== sale && each.status !== "FAILED")
      .find(wasThere)
    if (other !== undefined)
      broken(sim, "one order an xid", `${order.xid} also names sale ${other.order.transactionId}, ${other.status}`)
  }

  return {
    reserving: (xid) => void asked_ms.set(xid, sim.world.now_ms),
    sending: ({ service, transactionId, xid }) => {
      const age_ms = sim.world.now_ms - (asked_ms.get(xid) ?? 0)
      const steps = service.type === "insurance" ? 2 : 1
      if (age_ms > steps * fresh_max_ms)
        broken(sim, "what is no longer fresh is not sent", `${xid} is ${age_ms} ms old`)
      const times = (sent.get(transactionId) ?? 0) + 1
      sent.set(transactionId, times)
      if (times > 1) broken(sim, "a sale is sent once", `sale ${transactionId} is sent again`)
    },
    arrived: (order) => {
      const { now_ms } = sim.world
      sim.store.look(() => isCovered(order, now_ms))
    }
  }
}
