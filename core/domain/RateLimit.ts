import { DateTime } from "effect"
import { dayOf, nextDay, startOfDay } from "./LocalTime.ts"

/**
 * Length of a rate-limit window. Each window is a minute of the clock, so all processes agree on the end of a window.
 * Contract: 8.
 */
export const window_s = 60

/** Maximum number of lookups of one token that may reach a provider. Contract: 8. */
export const realLookupsPerMinute = 30
export const realLookupsPerDay = 2000

const day_s = 24 * 60 * 60

/** A minute of the clock or a local day. Windows of the same length are numbered in ascending order. */
export interface Window {
  readonly length_s: number
  readonly number: number
  readonly endsAt_s: number
  readonly endsIn_s: number
}

/** The minute that contains an instant. Its `endsIn_s` is at least 1. */
export const windowAt = (now_ms: number): Window => {
  const number = Math.floor(now_ms / (window_s * 1000))
  const endsAt_s = (number + 1) * window_s
  return { length_s: window_s, number, endsAt_s, endsIn_s: Math.ceil(endsAt_s - now_ms / 1000) }
}

/** The local day that contains an instant. */
export const dayWindowAt = (now_ms: number): Window => {
  const end = startOfDay(nextDay(dayOf(DateTime.makeUnsafe(now_ms))))
  const endsAt_s = DateTime.toEpochMillis(end) / 1000
  return {
    length_s: day_s,
    number: Math.floor(endsAt_s / day_s),
    endsAt_s,
    endsIn_s: Math.ceil(endsAt_s - now_ms / 1000)
  }
}

/** Calls that are counted together, and their limit in a window. */
export interface Bucket {
  readonly key: string
  readonly limit: number
}

/** A caller's limit and the calls left in the window. */
export interface Quota {
  readonly limit: number
  readonly remaining: number
  readonly window: Window
}

/** The result of counting a call. */
export interface Counted {
  /** False when the window is full. Refused calls are not counted. */
  readonly admitted: boolean
  readonly quota: Quota
}

/**
 * The result of counting calls in a window.
 *
 * @param held the count of the window, these calls included.
 */
export const countedIn = ({ limit }: Bucket, window: Window, held: number): Counted => ({
  admitted: held <= limit,
  quota: { limit, remaining: Math.max(0, limit - held), window }
})
