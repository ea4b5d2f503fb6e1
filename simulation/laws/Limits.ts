import { DateTime } from "effect"
import type { Limits } from "../../core/domain/Limits.ts"
import { periodsAt } from "../../core/domain/LocalTime.ts"
import type { Order } from "../../core/domain/Sale.ts"
import { broken, type Sim } from "../engine/Sim.ts"
import type { SaleSeen } from "../store/Observed.ts"

const counts = ({ status }: SaleSeen): boolean => status !== "FAILED" && status !== "REVERSED"

/**
 * No sale is accepted beyond a limit: counted again from the sales themselves, those of its day, week and month that
 * were accepted up to it. Contract: 2.3.
 */
export const limitsLaw = (sim: Sim, limits: Limits, { companyId, createdAt, transactionId }: Order): void =>
  sim.store.look(() => {
    const { day, month, week } = periodsAt(createdAt)
    const since = { daily: day, weekly: week, monthly: month }
    const spent = { daily: 0, weekly: 0, monthly: 0 }
    // Where the sale was accepted before this could look, other limits may have held.
    const now = sim.store.eyes.limits(companyId)
    for (const sale of sim.store.eyes.sales(companyId)) {
      if (!counts(sale) || sale.day > day || sale.order.transactionId > transactionId) continue
      for (const period of periods) if (sale.day >= since[period]) spent[period] += sale.order.amount
    }
    for (const period of periods) {
      const isBounded = limits[period] > 0 && now[period] > 0
      const most = Math.max(limits[period], now[period])
      if (isBounded && spent[period] > most) {
        const at = DateTime.formatIso(createdAt)
        broken(sim, "no sale beyond a limit", `${period} ${spent[period]} of ${most} at ${at}`)
      }
    }
  })

const periods = ["daily", "weekly", "monthly"] as const
