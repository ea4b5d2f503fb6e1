import type { DateTime } from "effect"
import type { Environment } from "./Company.ts"
import type { CompanyId, ServiceId, TransactionId } from "./Ids.ts"
import type { Invariant } from "./Invariants.ts"
import { Centavos } from "./Money.ts"

/** The panorama shows the operator the state of the service today: sales, suppliers, held money, and open problems. */

/** Number of sales by outcome. */
export interface SalesCount {
  /** Sales in SUCCESS. */
  readonly sold: number
  /** Total of the sales in SUCCESS. */
  readonly amount: Centavos
  readonly failed: number
  readonly reversed: number
  readonly unresolved: number
}

/** The service of a sale, with the name that it had at the time of the sale. */
interface SoldService {
  readonly id: ServiceId
  readonly name: string
}

/** Sales of one service in one local hour, 0 to 23. */
export interface HourOfService extends SalesCount {
  readonly hour: number
  readonly service: SoldService
}

const noSales: SalesCount = { sold: 0, amount: Centavos.make(0), failed: 0, reversed: 0, unresolved: 0 }

const sumOf = (counts: ReadonlyArray<SalesCount>): SalesCount =>
  counts.reduce(
    (sum, { amount, failed, reversed, sold, unresolved }) => ({
      sold: sum.sold + sold,
      amount: Centavos.make(sum.amount + amount),
      failed: sum.failed + failed,
      reversed: sum.reversed + reversed,
      unresolved: sum.unresolved + unresolved
    }),
    noSales
  )

/** Sales of a local day. */
export interface DaySales {
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly total: SalesCount
  /** One element for each of the 24 hours. */
  readonly hours: ReadonlyArray<SalesCount>
}

const hours_n = 24

const daySalesOf = (day: string, rows: ReadonlyArray<HourOfService>): DaySales => ({
  day,
  total: sumOf(rows),
  hours: Array.from({ length: hours_n }, (_, hour) => sumOf(rows.filter((row) => row.hour === hour)))
})

/** Sales of one service: today, and until the same time a week before. */
interface ServiceComparison {
  readonly service: SoldService
  readonly today: SalesCount
  readonly before: SalesCount
}

/** Today against the same weekday a week before. */
export interface DayComparison {
  readonly today: DaySales
  readonly before: DaySales
  /** Sales of the day a week before, until the same time of day. */
  readonly beforeUntilNow: SalesCount
  /** Ordered by today's amount, then by the amount of the day a week before, largest first. */
  readonly services: ReadonlyArray<ServiceComparison>
}

/**
 * Today (`day`) and the same weekday a week before (`dayBefore`), with the sales of each day. `beforeUntilNow` has the
 * sales of the earlier day until the same time of day.
 */
export interface ComparedDays {
  readonly day: string
  readonly today: ReadonlyArray<HourOfService>
  readonly dayBefore: string
  readonly before: ReadonlyArray<HourOfService>
  readonly beforeUntilNow: ReadonlyArray<HourOfService>
}

export const compareDays = ({ before, beforeUntilNow, day, dayBefore, today }: ComparedDays): DayComparison => {
  // Today's rows come last, so a renamed service has its current name.
  const names = new Map([...beforeUntilNow, ...today].map(({ service }) => [service.id, service]))
  const services = [...names.values()].map((service) => {
    const ofService = (rows: ReadonlyArray<HourOfService>) => sumOf(rows.filter((row) => row.service.id === service.id))
    return { service, today: ofService(today), before: ofService(beforeUntilNow) }
  })
  return {
    today: daySalesOf(day, today),
    before: daySalesOf(dayBefore, before),
    beforeUntilNow: sumOf(beforeUntilNow),
    services: services.sort(
      (left, right) =>
        right.today.amount - left.today.amount ||
        right.before.amount - left.before.amount ||
        left.service.id - right.service.id
    )
  }
}

/** Insurance is sold through the insurer, everything else through the provider. In development, both are simulated. */
export type Supplier = "provider" | "insurer"

/** Outcomes and durations of the settled sales of a supplier or of one of its services. */
export interface SupplierResult {
  readonly supplier: Supplier
  /** Null: all services of the supplier. */
  readonly service: SoldService | null
  /** Sales that the supplier delivered, reversed ones included. */
  readonly delivered: number
  readonly failed: number
  /** Time from the creation of a sale to its settlement. */
  readonly median_ms: number
  readonly p95_ms: number
}

/** Fraction of the settled sales that were delivered, 0 to 1. */
export const successRateOf = ({ delivered, failed }: Pick<SupplierResult, "delivered" | "failed">): number =>
  delivered / (delivered + failed)

/** Lower bounds of the age bands of held money, in seconds: up to a minute, ten minutes, an hour, a day, and older. */
export const ageBands_s = [0, 60, 600, 3_600, 86_400] as const

/** Held money of one age band: sales older than `from_s` and younger than the next bound of `ageBands_s`. */
interface HeldBand {
  readonly from_s: number
  readonly sales: number
  readonly held: Centavos
}

/** A sale with an unknown outcome, or with a reversal that has an unknown outcome. */
export interface OldestPending {
  readonly companyId: CompanyId
  readonly transactionId: TransactionId
  readonly about: "sale" | "reversal"
  /** When the sale, or the reversal, began. */
  readonly since: DateTime.Utc
}

/** Money of sales with an unknown outcome. */
export interface HeldMoney {
  /** One element for each of `ageBands_s`. */
  readonly bands: ReadonlyArray<HeldBand>
  /** Number of reversals with an unknown outcome. They hold no money. */
  readonly reversals: number
  /** Null: every sale and every reversal is settled. */
  readonly oldest: OldestPending | null
}

/** A company with an available balance below its low-balance threshold. */
export interface LowBalance {
  readonly companyId: CompanyId
  readonly name: string
  readonly available: Centavos
  readonly alert: Centavos
}

/** A webhook that fails or is disabled. */
export interface TroubledWebhook {
  readonly companyId: CompanyId
  readonly companyName: string
  readonly webhookId: number
  readonly url: string
  readonly disabled: boolean
  /** First failed attempt after the last delivered event. Null: the webhook was disabled by an operator. */
  readonly failingSince: DateTime.Utc | null
  /** When the oldest waiting delivery was due. Null: no delivery waits. */
  readonly oldestDue: DateTime.Utc | null
}

/** The beginning of a list, and the length of the whole list. */
export interface Beginning<A> {
  readonly total: number
  readonly items: ReadonlyArray<A>
}

/** Progress of the daily closings. */
export interface LastClosing {
  /** The last closed day of any company. Null: no day is closed. */
  readonly day: string | null
  /** Number of companies with all days up to yesterday closed. */
  readonly closed: number
  /** Number of companies with an unclosed day before today. */
  readonly unclosed: number
}

/** Matters that need the operator's attention now. */
export interface OpenMatters {
  readonly held: HeldMoney
  /** Ordered by the amount that is missing to the low-balance threshold, largest first. */
  readonly lowBalances: Beginning<LowBalance>
  /** Longest failing first, then disabled webhooks. */
  readonly webhooks: Beginning<TroubledWebhook>
  /** When the oldest waiting delivery to an active webhook was due. Null: no due delivery waits. */
  readonly oldestDelivery: DateTime.Utc | null
  readonly closing: LastClosing
}

/** Results of the suppliers today and in the last hour. */
interface SupplierResults {
  readonly today: ReadonlyArray<SupplierResult>
  readonly lastHour: ReadonlyArray<SupplierResult>
}

/** The end of the last audit, its duration, and the invariants that it found violated. */
export interface LastAudit {
  readonly endedAt: DateTime.Utc
  readonly duration_ms: number
  readonly violated: ReadonlyArray<{ readonly invariant: Invariant; readonly violations: number }>
}

export interface Panorama {
  readonly at: DateTime.Utc
  readonly environment: Environment
  readonly sales: DayComparison
  readonly suppliers: SupplierResults
  readonly open: OpenMatters
  /** Null: no audit has ended yet. */
  readonly audit: LastAudit | null
}
