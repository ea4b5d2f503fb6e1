import { DateTime } from "effect"
import { dayOf, nextDay, startOfDay } from "../../core/domain/LocalTime.ts"
import { Chance } from "../../tools/Chance.ts"
import { type Focus, focusOf, isAboutStuck } from "../faults/Focus.ts"
import type { Op } from "./Op.ts"
import { type Kind, workload } from "./Workload.ts"

const second_ms = 1_000
const minute_ms = 60 * second_ms
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms

/**
 * Start times of runs, in local time: ten minutes before a new day, week, month, leap day or year, and one ordinary
 * noon.
 */
const beginnings = [
  "2027-11-23T23:50:00-04:00",
  "2027-11-28T23:50:00-04:00",
  "2027-11-30T23:50:00-04:00",
  "2027-12-31T23:50:00-04:00",
  "2028-02-28T23:50:00-04:00",
  "2028-02-29T23:50:00-04:00",
  "2028-12-31T23:50:00-04:00",
  "2027-06-16T12:00:00-04:00"
] as const

/** The start time of a seed's run. */
export const beginningOf = (seed: number): number =>
  DateTime.toEpochMillis(DateTime.makeUnsafe(new Chance(seed, "beginning").pick(beginnings)))

const usual: Readonly<Record<Kind, number>> = {
  sell: 40,
  again: 10,
  reuse: 3,
  burst: 4,
  buy: 5,
  insure: 4,
  reverse: 8,
  deposit: 6,
  limit: 2,
  adjust: 2,
  resolve: 3,
  "resolve reversal": 2,
  reconcile: 3,
  kill: 3,
  wait: 7
}

/** Changed weights of operations, so that a run reaches the steps of its focus. */
const leadingTo: Readonly<Record<Focus["by"], Partial<Record<Kind, number>>>> = {
  sell: { sell: 80 },
  spend: { sell: 110, limit: 25 },
  buy: { buy: 80 },
  insure: { sell: 20, insure: 150 },
  reverse: { sell: 90, reverse: 90 },
  resolve: { sell: 90, resolve: 100, burst: 1, again: 4, reconcile: 15 },
  "resolve reversal": {
    sell: 120,
    reverse: 100,
    "resolve reversal": 90,
    burst: 1,
    again: 2,
    reconcile: 15,
    insure: 1,
    buy: 1
  },
  operate: { sell: 25, burst: 1, deposit: 80, limit: 75, adjust: 60 }
}

/** The opening deposit of every company. It is small where many sales should fail for lack of balance. */
export const openingOf = (seed: number): number => {
  const { by } = focusOf(seed)
  return by === "sell" || by === "operate" ? 400_000 : 8_000_000
}

const gaps = { none: 35, moment: 30, seconds: 20, minute: 9, minutes: 4, midnight: 1.2, days: 0.8 }

/** More gaps of minutes, because operators resolve only what is 15 minutes old. */
const longGaps = { ...gaps, minutes: 15, midnight: 0.4, days: 0.2 }

/** More gaps until midnight. Around midnight, two servers may disagree on the day while both apply the weekly limit. */
const nightGaps = { ...gaps, midnight: 16, days: 0 }

const gapsOf = (focus: Focus): typeof gaps => {
  if (isAboutStuck(focus)) return longGaps
  return focus.by === "spend" ? nightGaps : gaps
}

/** Time until the next operation. Most follow within seconds, some after a day or at midnight. */
const gapOf = (chance: Chance, weights: typeof gaps, now_ms: number): number => {
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
    case "midnight": {
      const midnight = startOfDay(nextDay(dayOf(DateTime.makeUnsafe(now_ms))))
      return DateTime.toEpochMillis(midnight) - now_ms + chance.between(-40, 40)
    }
    case "days":
      return chance.between(23 * hour_ms, 2 * day_ms)
  }
}

/** Generates all operations of a seed, before the run starts. */
export const generate = (seed: number, length: number): ReadonlyArray<Op> => {
  const chance = new Chance(seed, "operations")
  const focus = focusOf(seed)
  const weights = { ...usual, ...leadingTo[focus.by] }
  const pauses = gapsOf(focus)
  const epoch_ms = beginningOf(seed)
  const actOf = workload(chance, focus)
  const ops: Array<Op> = []
  let at_ms = second_ms

  while (ops.length < length) {
    at_ms += gapOf(chance, pauses, epoch_ms + at_ms)
    const kind = chance.weighted(weights)
    const times = kind === "burst" ? chance.between(3, 8) : 1
    for (let time = 0; time < times && ops.length < length; time++) {
      const id = ops.length
      ops.push({ ...actOf(kind, id), id, at_ms, replica: chance.between(0, 1) })
    }
  }
  return ops
}
