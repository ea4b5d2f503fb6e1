import { DateTime, Duration, Option } from "effect"
import { day_ms, isoDate, isoTime } from "./IsoTime.ts"
import { inOnePiece } from "./Text.ts"

/** America/Santo_Domingo is UTC-4 all year, so local time is a fixed offset. Contract: 1. */
const behindUtc = Duration.hours(4)
const behindUtc_ms = Duration.toMillis(behindUtc)

// Each answer has a few of these: arithmetic on milliseconds takes half of what it takes on DateTime.
const local = (instant: DateTime.Utc): number => DateTime.toEpochMillis(instant) - behindUtc_ms

/** Local calendar day, `YYYY-MM-DD`. */
export const dayOf = (instant: DateTime.Utc): string => isoDate(local(instant))

/** First days of the current consumption periods: today, Monday of this week, day 1 of this month. Contract: 2.3. */
export interface Periods {
  readonly day: string
  readonly week: string
  readonly month: string
}

const periodsOfDay = (day: number): Periods => {
  const begins_ms = day * day_ms
  const daysSinceMonday = (new Date(begins_ms).getUTCDay() + 6) % 7
  const date = isoDate(begins_ms)
  return {
    day: date,
    week: isoDate(begins_ms - daysSinceMonday * day_ms),
    month: `${date.slice(0, 7)}-01`
  }
}

// Every sale and every balance asks, and nearly always about the day that was asked about before.
let latest = { day: 0, periods: periodsOfDay(0) }

const periodsFrom = (local_ms: number): Periods => {
  const day = Math.floor(local_ms / day_ms)
  if (latest.day !== day) latest = { day, periods: periodsOfDay(day) }
  return latest.periods
}

export const periodsAt = (instant: DateTime.Utc): Periods => periodsFrom(local(instant))

/** The periods that contain a local day. */
export const periodsOf = (day: string): Periods => periodsFrom(Date.parse(`${day}T00:00:00Z`))

/** The instant at which a local day begins. */
export const startOfDay = (day: string): DateTime.Utc =>
  DateTime.addDuration(DateTime.makeUnsafe(`${day}T00:00:00Z`), behindUtc)

/** The local day after a local day. */
export const nextDay = (day: string): string =>
  DateTime.formatIsoDateUtc(DateTime.add(DateTime.makeUnsafe(`${day}T00:00:00Z`), { days: 1 }))

/** `YYYY-MM-DD HH:MM:SS`, local: the form of details, lists and receipts. */
export const formatLocal = (instant: DateTime.Utc): string => {
  const local_ms = local(instant)
  return inOnePiece(isoDate(local_ms), " ", isoTime(local_ms))
}

/** ISO 8601 with -04:00: the form of a sale's `processed_at`. */
export const formatOffset = (instant: DateTime.Utc): string => {
  const local_ms = local(instant)
  return inOnePiece(isoDate(local_ms), "T", `${isoTime(local_ms)}-04:00`)
}

// The calendar has no year 0.
const dayForm = /^(?!0000)\d{4}-\d{2}-\d{2}$/

/** Whether the text is an existing calendar day, `YYYY-MM-DD`. */
export const isDay = (text: string): boolean =>
  dayForm.test(text) &&
  Option.exists(DateTime.make(`${text}T00:00:00Z`), (instant) => DateTime.formatIsoDateUtc(instant) === text)

/** A range of local days, both ends included. A missing end leaves the range open. */
export interface DayRange {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Whether the instant falls on one of the days. */
export const isWithin = ({ from, to }: DayRange, instant: DateTime.Utc): boolean => {
  const day = dayOf(instant)
  return (from === undefined || from <= day) && (to === undefined || day <= to)
}

/** The instants of a day range: `since` inclusive, `until` exclusive. */
export const instantsOf = ({ from, to }: DayRange) => ({
  since: from === undefined ? undefined : startOfDay(from),
  until: to === undefined ? undefined : startOfDay(nextDay(to))
})
