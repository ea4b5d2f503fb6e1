import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { dayOf, formatLocal, formatOffset, nextDay, periodsAt, startOfDay } from "../../core/domain/LocalTime.ts"

// The country last moved its clocks in December 2000, so the fixed shift holds from then on.
const date = fc.date({
  min: new Date("2001-01-01T00:00:00Z"),
  max: new Date("2120-01-01T00:00:00Z"),
  noInvalidDate: true
})

const hour_ms = 3_600_000

/** Instants crowd where something begins: local midnight, UTC midnight, and a millisecond to either side. */
const instant = fc.oneof(
  date,
  fc
    .tuple(date, fc.constantFrom(0, 4 * hour_ms), fc.integer({ min: -1, max: 1 }))
    .map(
      ([day, edge_ms, off_ms]) => new Date(Math.floor(day.getTime() / (24 * hour_ms)) * 24 * hour_ms + edge_ms + off_ms)
    )
)

const parts = new Intl.DateTimeFormat("en-CA", {
  timeZone: "America/Santo_Domingo",
  weekday: "short",
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23"
})

/** What the runtime's own time zone database says. */
const wall = (when: Date): Record<string, string> =>
  Object.fromEntries(parts.formatToParts(when).map(({ type, value }) => [type, value]))

const dayAs = ({ day, month, year }: Record<string, string>): string => `${year}-${month}-${day}`

/** The Monday on or before, found by walking back a day at a time. */
const mondayBefore = (when: Date): string => {
  const there = wall(when)
  return there["weekday"] === "Mon" ? dayAs(there) : mondayBefore(new Date(when.getTime() - 24 * hour_ms))
}

describe("local time, against the time zone database", () => {
  it("begins the day at midnight, the week on Monday and the month on the first", () => {
    fc.assert(
      fc.property(instant, (when) => {
        const there = wall(when)
        expect(periodsAt(DateTime.makeUnsafe(when))).toEqual({
          day: dayAs(there),
          week: mondayBefore(when),
          month: `${there["year"]}-${there["month"]}-01`
        })
      }),
      { numRuns: 500 }
    )
  })

  it("is written as the wall clock shows it", () => {
    fc.assert(
      fc.property(instant, (when) => {
        const there = wall(when)
        const time = `${there["hour"]}:${there["minute"]}:${there["second"]}`
        expect(formatLocal(DateTime.makeUnsafe(when))).toBe(`${dayAs(there)} ${time}`)
        expect(formatOffset(DateTime.makeUnsafe(when))).toBe(`${dayAs(there)}T${time}-04:00`)
      })
    )
  })

  it("reads its own offset form back to the second", () => {
    fc.assert(
      fc.property(instant, (when) => {
        const written = DateTime.makeUnsafe(formatOffset(DateTime.makeUnsafe(when)))
        expect(DateTime.toEpochMillis(written)).toBe(Math.floor(when.getTime() / 1000) * 1000)
      })
    )
  })

  it("puts every instant into exactly one day", () => {
    fc.assert(
      fc.property(instant, (when) => {
        const utc = DateTime.makeUnsafe(when)
        const day = dayOf(utc)
        expect(DateTime.isLessThanOrEqualTo(startOfDay(day), utc)).toBe(true)
        expect(DateTime.isLessThan(utc, startOfDay(nextDay(day)))).toBe(true)
      })
    )
  })
})
