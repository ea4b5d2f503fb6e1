import { DateTime } from "effect"
import type { Limits } from "../../core/domain/Limits.ts"
import { periodsAt, periodsOf } from "../../core/domain/LocalTime.ts"
import type { Order } from "../../core/domain/Sale.ts"
import { clockError_max_ms } from "../engine/Call.ts"
import type { SaleSeen } from "../engine/Observed.ts"
import { broken, type Sim } from "../engine/Sim.ts"

const counts = ({ status }: SaleSeen): boolean => status !== "FAILED" && status !== "REVERSED"

/** The limits before the last observed change, and the time of the observation. */
interface Former {
  readonly limits: Limits
  readonly until_ms: number
}

/**
 * Checks that no sale exceeds a limit. Adds up the sales of its local day, week and month up to this sale, by the day
 * recorded for each. Contract: 2.3.
 */
export const limitsLaw = (sim: Sim) => {
  const known = new Map<number, Limits>()
  const former = new Map<number, Former>()

  // Operators may have changed the limits between the acceptance of a sale and this check. The sale passes if it fits
  // the limits before or after the change.
  const heldFor = ({ companyId, createdAt }: Order): ReadonlyArray<Limits> => {
    const limits = sim.store.eyes.limits(companyId)
    const before = known.get(companyId)
    known.set(companyId, limits)
    if (before !== undefined && periods.some((period) => before[period] !== limits[period])) {
      former.set(companyId, { limits: before, until_ms: sim.world.now_ms })
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
      for (const sale of sim.store.eyes.sales(companyId)) {
        if (!counts(sale) || sale.order.transactionId > transactionId) continue
        const its = periodsOf(sale.day)
        for (const period of periods)
          if (its[begins[period]] === own[begins[period]]) spent[period] += sale.order.amount
      }
      const possible = [...atHearing, sim.store.eyes.limits(companyId)]
      for (const period of periods) {
        const isBounded = possible.every((limits) => limits[period] > 0)
        const most = Math.max(...possible.map((limits) => limits[period]))
        if (isBounded && spent[period] > most) {
          const at = DateTime.formatIso(createdAt)
          broken(sim, "no sale beyond a limit", `${period} ${spent[period]} of ${most} at ${at}`)
        }
      }
    })
  }
}

const periods = ["daily", "weekly", "monthly"] as const
const begins = { daily: "day", weekly: "week", monthly: "month" } as const
