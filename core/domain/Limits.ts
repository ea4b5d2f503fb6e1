import { Result } from "effect"
import { LimitExceeded } from "./Errors.ts"
import { type Amount, Centavos } from "./Money.ts"

/** How much a company may spend in each period, in centavos; 0 means no limit. Contract: 2.3 and 8. */
export interface Limits {
  readonly daily: Centavos
  readonly weekly: Centavos
  readonly monthly: Centavos
}

/** How much a company has spent or holds in each period, in centavos. Contract: 2.3. */
export interface Consumption {
  readonly daily: Centavos
  readonly weekly: Centavos
  readonly monthly: Centavos
}

/** Limits of a company for which the operator has set none. Contract: 2.3. */
export const defaultLimits: Limits = {
  daily: Centavos.make(5_000_000),
  weekly: Centavos.make(25_000_000),
  monthly: Centavos.make(100_000_000)
}

const periods = [
  ["diario", "daily"],
  ["semanal", "weekly"],
  ["mensual", "monthly"]
] as const

/**
 * Accepts the amount, or returns the first limit that it would exceed: day, week, month. The ledger in memory calls
 * this. The function `reserve` in SQL repeats the rule, and test/postgres/model compares the two.
 */
export const within = (
  limits: Limits,
  consumption: Consumption,
  amount: Amount
): Result.Result<void, LimitExceeded> => {
  for (const [period, field] of periods) {
    const limit = limits[field]
    if (limit > 0 && consumption[field] + amount > limit) {
      return Result.fail(new LimitExceeded({ period, limit, consumption: consumption[field], required: amount }))
    }
  }
  return Result.void
}
