import { Data, DateTime, type Duration } from "effect"
import type { ProviderName } from "./ProviderStatement.ts"

/** Balance with a provider in one unit, such as USD. Not in centavos, because units may have more decimals. */
export interface FloatBalance {
  readonly unit: string
  readonly available: number
  /** Held for sales in progress. */
  readonly held: number
}

/** The provider's answer about the float, which is the remaining balance with the provider. */
export type FloatAnswer = Data.TaggedEnum<{
  Read: { readonly balances: ReadonlyArray<FloatBalance> }
  /** The provider does not report its balance. */
  NotOffered: {}
  NoAnswer: {}
}>
export const FloatAnswer = Data.taggedEnum<FloatAnswer>()

/** The stored readings of a provider. */
export interface FloatReading {
  readonly provider: ProviderName
  /** Empty if the provider does not report its balance. */
  readonly balances: ReadonlyArray<FloatBalance>
  /** When the provider last answered. Null if it has never answered. */
  readonly readAt: DateTime.Utc | null
  /** When a question last had no answer. Null if every question had an answer. */
  readonly failedAt: DateTime.Utc | null
}

/** The amount below which the operator wants a warning. Without a unit it applies to every unit. */
export interface FloatAlert {
  readonly amount: number
  readonly unit: string | null
}

/** Whether a balance is below the alert. */
export const isFloatLow = ({ available, unit }: FloatBalance, alert: FloatAlert | null): boolean =>
  alert !== null && (alert.unit === null || alert.unit === unit) && available < alert.amount

/**
 * Whether a reading can be relied on: `actual`, `antigua` (older than `age_max`), or `fallida` (a later question had no
 * answer).
 */
export type FloatState = "actual" | "antigua" | "fallida"

export const floatState = (
  { failedAt, readAt }: Pick<FloatReading, "failedAt" | "readAt">,
  now: DateTime.Utc,
  age_max: Duration.Duration
): FloatState => {
  if (readAt === null || (failedAt !== null && DateTime.isGreaterThan(failedAt, readAt))) return "fallida"
  return DateTime.isLessThan(DateTime.addDuration(readAt, age_max), now) ? "antigua" : "actual"
}

/** Adds up the balances that have the same unit. */
export const sumByUnit = (balances: ReadonlyArray<FloatBalance>): ReadonlyArray<FloatBalance> =>
  [...Map.groupBy(balances, ({ unit }) => unit)].map(([unit, those]) => ({
    unit,
    available: those.reduce((sum, { available }) => sum + available, 0),
    held: those.reduce((sum, { held }) => sum + held, 0)
  }))
