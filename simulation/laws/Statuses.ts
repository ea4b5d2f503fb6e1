import { dayOf } from "../../core/domain/LocalTime.ts"
import type { Status } from "../../core/domain/Status.ts"
import type { SaleSeen } from "../engine/Observed.ts"
import { broken, type Sim } from "../engine/Sim.ts"

/** The allowed status changes of a sale. Contract: 3.1. */
const next: Readonly<Record<Status, ReadonlyArray<Status>>> = {
  PROCESSING: ["PENDING", "SUCCESS", "FAILED", "REVERSED"],
  PENDING: ["SUCCESS", "FAILED", "REVERSED"],
  SUCCESS: ["REVERSED"],
  FAILED: [],
  REVERSED: []
}

/** The firm response that a caller received about a sale. */
type Told = "delivered" | "refused"

const kept: Readonly<Record<Told, ReadonlyArray<Status>>> = {
  delivered: ["SUCCESS", "REVERSED"],
  refused: ["FAILED"]
}

/** Checks that sales change status only as allowed, and that none contradicts the response to its caller. */
export interface Statuses {
  readonly told: (transactionId: number, told: Told) => void
  readonly seen: (sales: Iterable<SaleSeen>) => void
}

export const statusesLaw = (sim: Sim): Statuses => {
  const last = new Map<number, Status>()
  const promises = new Map<number, Told>()
  return {
    told: (transactionId, told) => void promises.set(transactionId, told),
    seen: (sales) => {
      const bills = new Map<string, number>()
      for (const { billId, day, order, status } of sales) {
        const { transactionId } = order
        if (billId !== null && status !== "FAILED" && status !== "REVERSED") {
          const other = bills.get(billId)
          if (other !== undefined)
            broken(sim, "a bill is paid once", `${billId} by sales ${other} and ${transactionId}`)
          bills.set(billId, transactionId)
        }
        if (!last.has(transactionId) && day !== dayOf(order.createdAt))
          broken(sim, "a sale counts in its local day", `sale ${transactionId} counts in ${day}`)
        const before = last.get(transactionId)
        if (before !== undefined && before !== status && !next[before].includes(status))
          broken(sim, "no sale goes back", `sale ${transactionId} goes from ${before} to ${status}`)
        const promised = promises.get(transactionId)
        if (promised !== undefined && !kept[promised].includes(status))
          broken(sim, "an answer is kept", `sale ${transactionId} was told ${promised} and is ${status}`)
        last.set(transactionId, status)
      }
    }
  }
}
