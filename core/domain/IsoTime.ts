import { DateTime, Duration } from "effect"
import { inOnePiece } from "./Text.ts"

const second_ms = Duration.toMillis(Duration.seconds(1))
export const day_ms = Duration.toMillis(Duration.days(1))

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"))

// Nearly every time that is asked for is of a few days: today's and, from eight in the evening on, UTC's, which is
// tomorrow's; a page of a list has some more.
const dates_max = 64
const dates = new Map<number, string>()

/** The date of milliseconds since 1970, `YYYY-MM-DD`. */
export const isoDate = (epoch_ms: number): string => {
  const day = Math.floor(epoch_ms / day_ms)
  const known = dates.get(day)
  if (known !== undefined) return known
  const date = new Date(day * day_ms).toISOString().slice(0, -"T00:00:00.000Z".length)
  if (dates.size >= dates_max) dates.clear()
  dates.set(day, date)
  return date
}

/** The time of the day of milliseconds since 1970, `HH:MM:SS`. */
export const isoTime = (epoch_ms: number): string => {
  const ofDay_ms = epoch_ms - Math.floor(epoch_ms / day_ms) * day_ms
  const seconds = Math.floor(ofDay_ms / second_ms)
  const minutes = Math.floor(seconds / 60)
  return `${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}`
}

/** What DateTime.formatIso says, in a quarter of the time: every sale has a few of these. */
export const isoInstant = (instant: DateTime.Utc): string => {
  // A duration may have added a part of one.
  const epoch_ms = Math.trunc(DateTime.toEpochMillis(instant))
  const milliseconds = epoch_ms - Math.floor(epoch_ms / second_ms) * second_ms
  return inOnePiece(isoDate(epoch_ms), "T", `${isoTime(epoch_ms)}.${String(milliseconds).padStart(3, "0")}Z`)
}
