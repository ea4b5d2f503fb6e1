import { DateTime } from "effect"
import { dayOf, nextDay, startOfDay } from "../../../core/domain/LocalTime.ts"
import type { SeededRandom } from "../../support/SeededRandom.ts"
import { isAboutStuck, type RunFocus } from "../engine/FaultInjector.ts"

/** The times between the operations of a run. */

export const second_ms = 1_000
const minute_ms = 60 * second_ms
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms

const gaps = { none: 35, moment: 30, seconds: 20, minute: 9, minutes: 4, midnight: 1.2, "later midnight": 0, days: 0.8 }

/** Weights with more gaps of minutes, because operators resolve only sales and reversals that are 15 minutes old. */
const longGaps = { ...gaps, minutes: 15, midnight: 0.4, days: 0.2 }

/**
 * Weights for runs around midnight, when two servers with wrong clocks disagree on the day while both apply the weekly
 * limit. Each of these midnights is in another week, so that no earlier sales have used up the limit.
 */
const nightGaps = { ...gaps, minutes: 0, midnight: 0, "later midnight": 16, days: 0 }

/** The weights of the gaps of a run. */
export const gapsOf = (focus: RunFocus): typeof gaps => {
  if (isAboutStuck(focus)) return longGaps
  return focus.by === "spend at midnight" ? nightGaps : gaps
}

const untilMidnight = (now_ms: number): number =>
  DateTime.toEpochMillis(startOfDay(nextDay(dayOf(DateTime.makeUnsafe(now_ms))))) - now_ms

/** Time until the next operation. Most operations follow within seconds, some after a day or at midnight. */
export const gapOf = (chance: SeededRandom, weights: typeof gaps, now_ms: number): number => {
  switch (chance.weighted(weights)) {
    case "none":
      return 0
    case "moment":
      return chance.between(1, 60)
    case "seconds":
      return chance.between(100, 6 * second_ms)
    case "minute":
      return chance.between(5 * second_ms, 90 * second_ms)
    case "minutes":
      return chance.between(2 * minute_ms, 20 * minute_ms)
    case "midnight":
      return untilMidnight(now_ms) + chance.between(-40, 40)
    case "later midnight":
      return untilMidnight(now_ms) + 7 * day_ms + chance.between(-40, 40)
    case "days":
      return chance.between(23 * hour_ms, 2 * day_ms)
  }
}
