import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { checkLimits, defaultLimits } from "../../../core/domain/Account.ts"
import { LimitExceeded } from "../../../core/domain/Errors.ts"
import { Amount, Centavos } from "../../../core/domain/Money.ts"

const three = ([daily, weekly, monthly]: readonly [number, number, number]) => ({
  daily: Centavos.make(daily),
  weekly: Centavos.make(weekly),
  monthly: Centavos.make(monthly)
})

describe("the consumption limits", () => {
  it.each([
    // limits (day, week, month), consumed amounts, requested amount -> the exceeded limit
    [[1000, 5000, 9000], [0, 0, 0], 1000, null],
    [[1000, 5000, 9000], [0, 0, 0], 1001, "diario"],
    [[1000, 5000, 9000], [999, 999, 999], 1, null],
    [[1000, 5000, 9000], [1000, 1000, 1000], 1, "diario"],
    [[1000, 5000, 9000], [0, 4500, 4500], 500, null],
    [[1000, 5000, 9000], [0, 4500, 4500], 501, "semanal"],
    [[1000, 5000, 9000], [0, 0, 8500], 500, null],
    [[1000, 5000, 9000], [0, 0, 8500], 501, "mensual"],
    // The first exceeded limit is reported, in the order day, week, month.
    [[1000, 1000, 1000], [0, 0, 0], 1001, "diario"],
    [[2000, 1000, 1000], [0, 0, 0], 1001, "semanal"],
    [[1000, 5000, 5000], [600, 4900, 4900], 500, "diario"],
    // A week may begin in the previous month, so its consumption may be higher than the consumption of the month.
    [[9000, 1000, 9000], [0, 900, 0], 101, "semanal"],
    // 0 means no limit.
    [[0, 0, 0], [9e9, 9e9, 9e9], 9e9, null],
    [[0, 5000, 9000], [0, 0, 0], 5000, null],
    [[0, 5000, 9000], [0, 0, 0], 5001, "semanal"],
    [[0, 0, 9000], [0, 0, 0], 9001, "mensual"],
    [[1000, 0, 0], [0, 9e9, 9e9], 1000, null],
    // A limit lowered below the consumption refuses every sale.
    [[100, 0, 0], [5000, 5000, 5000], 1, "diario"]
  ] as const)(
    "%j with %j consumed and %d requested: the exceeded limit is %s",
    (limits, consumed, centavos, period) => {
      const result = checkLimits(three(limits), three(consumed), Amount.make(centavos))
      expect(Result.isSuccess(result) ? null : result.failure.period).toBe(period)
    }
  )

  it("state in a refusal which limit is exceeded, its consumption and the required amount", () => {
    const refused = Result.merge(checkLimits(three([1000, 5000, 9000]), three([300, 4800, 8000]), Amount.make(250)))
    expect(refused).toBeInstanceOf(LimitExceeded)
    expect(refused).toMatchObject({ period: "semanal", limit: 5000, consumption: 4800, required: 250 })
  })

  it("are 50000, 250000 and 1000000 pesos for a company without recorded limits", () => {
    expect(defaultLimits).toEqual({ daily: 5_000_000, weekly: 25_000_000, monthly: 100_000_000 })
  })
})
