import { DateTime, Duration } from "effect"
import type { Order } from "../../core/domain/Sale.ts"
import { clockError_max_ms } from "../engine/Call.ts"
import type { SaleSeen } from "../engine/Observed.ts"
import { broken, type Sim } from "../engine/Sim.ts"

/**
 * Maximum age of a reservation when its order is sent. An insurance has one more step before, which may take as long
 * again.
 */
const fresh_max_ms = Duration.toMillis(Duration.seconds(10))

/** Checks every order to a supplier: it has a reservation, is sent once, and in time. */
export interface Orders {
  /** A process is about to reserve. */
  readonly reserving: (xid: string) => void
  /** A workflow sends the order. */
  readonly sending: (order: Order) => void
  /** The order has reached the supplier. */
  readonly arrived: (order: Order) => void
}

export const ordersLaw = (sim: Sim): Orders => {
  const asked_ms = new Map<string, number>()
  const sent = new Map<number, number>()

  // On SQL, this check may run later. By then, a key whose refused sale is a day old may have a new sale with the same
  // xid. Sales recorded after the arrival are therefore ignored, with a tolerance for clocks that run ahead.
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
