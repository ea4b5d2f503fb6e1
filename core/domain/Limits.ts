import { Result } from "effect"
import { LimitExceeded } from "./Errors.ts"
import { type Amount, Centavos } from "./Money.ts"

/** How much a company may spend in a period; 0 means no limit. Contract: 2.3 and 8. */
export interface Limits {
  readonly daily: Centavos
  readonly weekly: Centavos
  readonly monthly: Centavos
}

/** What a company has spent or holds in each period. Contract: 2.3. */
export interface Consumption {
  readonly daily: Centavos
  readonly weekly: Centavos
  readonly monthly: Centavos
}

/** Contract: 2.3, for a company whose limits nobody has set. */
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
 * Lets the amount pass, or names the first period that it would exceed: day, then week, then month. The ledger in
 * memory decides by it, and the one in Postgres as it does.
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
