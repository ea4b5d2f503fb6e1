import { DateTime, Duration, Option } from "effect"

/** America/Santo_Domingo is UTC-4 all year, so local time is a fixed offset. Contract: 1. */
const behindUtc = Duration.hours(4)

/** Local time of an instant in the form `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
const localIso = (instant: DateTime.Utc): string =>
  new Date(DateTime.toEpochMillis(instant) - Duration.toMillis(behindUtc)).toISOString()

/** Local calendar day, `YYYY-MM-DD`. */
export const dayOf = (instant: DateTime.Utc): string => localIso(instant).slice(0, 10)

/** First days of the current consumption periods: today, Monday of this week, day 1 of this month. Contract: 2.3. */
export interface Periods {
  readonly day: string
  readonly week: string
  readonly month: string
}

/** The periods that contain a local day. */
export const periodsOf = (day: string): Periods => {
  const monday = new Date(day)
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7))
  return { day, week: monday.toISOString().slice(0, 10), month: `${day.slice(0, 7)}-01` }
}

/** The periods that contain an instant. */
export const periodsAt = (instant: DateTime.Utc): Periods => periodsOf(dayOf(instant))

const midnight = (day: string): DateTime.Utc => DateTime.makeUnsafe(`${day}T00:00:00Z`)

/** The instant at which a local day begins. */
export const startOfDay = (day: string): DateTime.Utc => DateTime.addDuration(midnight(day), behindUtc)

/** The local day after a local day. */
export const nextDay = (day: string): string => daysBefore(day, -1)

/** The local day that is `days` days before `day`. */
export const daysBefore = (day: string, days: number): string =>
  DateTime.formatIsoDateUtc(DateTime.subtract(midnight(day), { days }))

/** The number of days in a range, both ends included. Below 1 if the range ends before it begins. */
export const daysIn = ({ from, to }: { readonly from: string; readonly to: string }): number =>
  Math.round((DateTime.toEpochMillis(midnight(to)) - DateTime.toEpochMillis(midnight(from))) / 86_400_000) + 1

/** Local time as `YYYY-MM-DD HH:MM:SS`: the form of details, lists and receipts. */
export const formatLocal = (instant: DateTime.Utc): string => localIso(instant).slice(0, 19).replace("T", " ")

/** Local time as ISO 8601 with -04:00: the form of `processed_at` of a sale. */
export const formatOffset = (instant: DateTime.Utc): string => `${localIso(instant).slice(0, 19)}-04:00`

// The calendar has no year 0.
const dayForm = /^(?!0000)\d{4}-\d{2}-\d{2}$/

/** Whether the text is an existing calendar day, `YYYY-MM-DD`. */
export const isDay = (text: string): boolean => {
  if (!dayForm.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  // JavaScript reads February 30 as March 2.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

const instantForm = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/

/** Reads an ISO 8601 instant with an offset. */
export const readInstant = (text: string): Option.Option<DateTime.Utc> => {
  const [, day = ""] = instantForm.exec(text) ?? []
  return isDay(day) ? DateTime.make(Date.parse(text)) : Option.none()
}

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
