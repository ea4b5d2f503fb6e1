import { DateTime } from "effect"
import { dayOf, nextDay, startOfDay } from "./LocalTime.ts"

/** Calls are counted a minute of the clock, so that every replica agrees on when a window ends. Contract: 8. */
export const window_s = 60

/** A token's lookups that may reach a provider. Contract: 8. */
export const realLookupsPerMinute = 30
export const realLookupsPerDay = 2000

const day_s = 24 * 60 * 60

/** A minute of the clock, or a local day. Windows of one length have numbers that rise. */
export interface Window {
  readonly length_s: number
  readonly number: number
  readonly endsAt_s: number
  readonly endsIn_s: number
}

/** The minute that an instant falls in; it ends in one second at least. */
export const windowAt = (now_ms: number): Window => {
  const number = Math.floor(now_ms / (window_s * 1000))
  const endsAt_s = (number + 1) * window_s
  return { length_s: window_s, number, endsAt_s, endsIn_s: Math.ceil(endsAt_s - now_ms / 1000) }
}

/** The local day that an instant falls in. */
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

/** Whose calls are counted together, and how many of them a window has. */
export interface Bucket {
  readonly key: string
  readonly limit: number
}

/** What a caller has left. */
export interface Quota {
  readonly limit: number
  readonly remaining: number
  readonly window: Window
}

/** What became of calls that asked to be counted. */
export interface Counted {
  /** False when the window had no room for them; then they were not counted. */
  readonly admitted: boolean
  readonly quota: Quota
}

/**
 * What a bucket says to calls with which it would hold so many in a window.
 *
 * @param held those that were counted before, and these.
 */
export const countedIn = ({ limit }: Bucket, window: Window, held: number): Counted => ({
  admitted: held <= limit,
  quota: { limit, remaining: Math.max(0, limit - held), window }
})
