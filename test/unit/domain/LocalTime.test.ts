import { describe, expect, it } from "@effect/vitest"
import { DateTime, Option } from "effect"
import fc from "fast-check"
import {
  dayOf,
  formatLocal,
  formatOffset,
  isDay,
  nextDay,
  periodsAt,
  readInstant,
  startOfDay
} from "../../../core/domain/LocalTime.ts"

// The country last changed its clocks in December 2000. From then on the offset is fixed.
const date = fc.date({
  min: new Date("2001-01-01T00:00:00Z"),
  max: new Date("2120-01-01T00:00:00Z"),
  noInvalidDate: true
})

const hour_ms = 3_600_000

/** Instants near boundaries: local midnight, UTC midnight, and a millisecond before and after. */
const instantNearMidnight = fc.oneof(
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

/** Local time by the runtime's time zone database. */
const wall = (when: Date): Record<string, string> =>
  Object.fromEntries(parts.formatToParts(when).map(({ type, value }) => [type, value]))

const dayAs = ({ day, month, year }: Record<string, string>): string => `${year}-${month}-${day}`

/** The Monday on or before a day, found by going back day by day. */
const mondayBefore = (when: Date): string => {
  const there = wall(when)
  return there["weekday"] === "Mon" ? dayAs(there) : mondayBefore(new Date(when.getTime() - 24 * hour_ms))
}

describe("local time compared with the time zone database", () => {
  it("starts the day at midnight, the week on Monday and the month on day 1", () => {
    fc.assert(
      fc.property(instantNearMidnight, (when) => {
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

  it("is formatted like the wall clock", () => {
    fc.assert(
      fc.property(instantNearMidnight, (when) => {
        const there = wall(when)
        const time = `${there["hour"]}:${there["minute"]}:${there["second"]}`
        expect(formatLocal(DateTime.makeUnsafe(when))).toBe(`${dayAs(there)} ${time}`)
        expect(formatOffset(DateTime.makeUnsafe(when))).toBe(`${dayAs(there)}T${time}-04:00`)
      })
    )
  })

  it("can be parsed back, to the second, from its form with an offset", () => {
    fc.assert(
      fc.property(instantNearMidnight, (when) => {
        const written = DateTime.makeUnsafe(formatOffset(DateTime.makeUnsafe(when)))
        expect(DateTime.toEpochMillis(written)).toBe(Math.floor(when.getTime() / 1000) * 1000)
      })
    )
  })

  it("assigns every instant to exactly one day", () => {
    fc.assert(
      fc.property(instantNearMidnight, (when) => {
        const utc = DateTime.makeUnsafe(when)
        const day = dayOf(utc)
        expect(DateTime.isLessThanOrEqualTo(startOfDay(day), utc)).toBe(true)
        expect(DateTime.isLessThan(utc, startOfDay(nextDay(day)))).toBe(true)
      })
    )
  })
})

const at = (iso: string) => DateTime.makeUnsafe(iso)

describe("the periods of consumption", () => {
  it.each([
    // instant (UTC), local day, Monday of its week, first day of its month
    ["2026-03-04T03:59:59.999Z", "2026-03-03", "2026-03-02", "2026-03-01"],
    ["2026-03-04T04:00:00.000Z", "2026-03-04", "2026-03-02", "2026-03-01"],
    // Midnight in UTC is 20:00 in local time, so no period begins.
    ["2026-03-01T23:59:59.999Z", "2026-03-01", "2026-02-23", "2026-03-01"],
    ["2026-03-02T00:00:00.000Z", "2026-03-01", "2026-02-23", "2026-03-01"],
    // The night from Sunday to Monday.
    ["2026-03-02T03:59:59.999Z", "2026-03-01", "2026-02-23", "2026-03-01"],
    ["2026-03-02T04:00:00.000Z", "2026-03-02", "2026-03-02", "2026-03-01"],
    ["2026-03-09T03:59:59.999Z", "2026-03-08", "2026-03-02", "2026-03-01"],
    ["2026-03-09T04:00:00.000Z", "2026-03-09", "2026-03-09", "2026-03-01"],
    // A week in which a month ends.
    ["2026-05-01T03:59:59.999Z", "2026-04-30", "2026-04-27", "2026-04-01"],
    ["2026-05-01T04:00:00.000Z", "2026-05-01", "2026-04-27", "2026-05-01"],
    // A week in which a year ends.
    ["2026-01-01T03:59:59.999Z", "2025-12-31", "2025-12-29", "2025-12-01"],
    ["2026-01-01T04:00:00.000Z", "2026-01-01", "2025-12-29", "2026-01-01"],
    // The end of February in years with and without a leap day.
    ["2028-02-29T12:00:00.000Z", "2028-02-29", "2028-02-28", "2028-02-01"],
    ["2028-03-01T03:59:59.999Z", "2028-02-29", "2028-02-28", "2028-02-01"],
    ["2028-03-01T04:00:00.000Z", "2028-03-01", "2028-02-28", "2028-03-01"],
    ["2027-03-01T03:59:59.999Z", "2027-02-28", "2027-02-22", "2027-02-01"],
    ["2100-03-01T03:59:59.999Z", "2100-02-28", "2100-02-22", "2100-02-01"],
    // The daylight saving time of New York does not apply.
    ["2026-07-15T03:59:59.999Z", "2026-07-14", "2026-07-13", "2026-07-01"],
    ["2026-07-15T04:00:00.000Z", "2026-07-15", "2026-07-13", "2026-07-01"]
  ])("contain the instant %s and began on %s, %s and %s (day, week, month)", (instant, day, week, month) => {
    expect(periodsAt(at(instant))).toEqual({ day, week, month })
    expect(dayOf(at(instant))).toBe(day)
  })
})

describe("a local day", () => {
  it.each([
    ["2026-03-04", "2026-03-04T04:00:00.000Z", "2026-03-05"],
    ["2025-12-31", "2025-12-31T04:00:00.000Z", "2026-01-01"],
    ["2028-02-28", "2028-02-28T04:00:00.000Z", "2028-02-29"],
    ["2028-02-29", "2028-02-29T04:00:00.000Z", "2028-03-01"],
    ["2027-02-28", "2027-02-28T04:00:00.000Z", "2027-03-01"]
  ])("%s begins at %s and is followed by %s", (day, start, following) => {
    expect(DateTime.formatIso(startOfDay(day))).toBe(start)
    expect(nextDay(day)).toBe(following)
  })
})

describe("an instant on the wire", () => {
  it.each([
    ["2026-03-04T03:59:59.999Z", "2026-03-03 23:59:59", "2026-03-03T23:59:59-04:00"],
    ["2026-03-04T04:00:00.000Z", "2026-03-04 00:00:00", "2026-03-04T00:00:00-04:00"],
    ["2026-01-01T00:00:00.000Z", "2025-12-31 20:00:00", "2025-12-31T20:00:00-04:00"]
  ])("%s is written as %s, or with an offset as %s", (instant, local, offset) => {
    expect(formatLocal(at(instant))).toBe(local)
    expect(formatOffset(at(instant))).toBe(offset)
  })
})

describe("a calendar day", () => {
  it.each([
    ["2026-02-28", true],
    ["2028-02-29", true],
    ["2026-02-29", false],
    ["2026-02-30", false],
    ["2026-13-01", false],
    ["2026-00-01", false],
    ["2026-01-00", false],
    ["0000-01-01", false],
    ["2026-1-1", false],
    ["20260101", false],
    ["2026-01-01T00:00:00Z", false],
    ["+02026-01-01", false],
    [" 2026-01-01", false],
    ["", false]
  ])("accepts the text %j: %s", (text, is) => {
    expect(isDay(text)).toBe(is)
  })
})

describe("an instant with an offset", () => {
  // Text -> the instant in UTC, or null if it is refused.
  it.each([
    ["2026-01-31T14:05:09-04:00", "2026-01-31T18:05:09.000Z"],
    ["2026-01-31T14:05Z", "2026-01-31T14:05:00.000Z"],
    ["2028-02-29T00:00:00.5Z", "2028-02-29T00:00:00.500Z"],
    ["2026-01-31T24:00:00Z", "2026-02-01T00:00:00.000Z"],
    ["2027-02-29T00:00:00Z", null],
    ["2027-02-30T00:00:00Z", null],
    ["2027-04-31T00:00:00-04:00", null],
    ["2027-13-01T00:00:00Z", null],
    ["2026-01-31T25:00:00Z", null],
    ["2026-01-31T14:05:09", null],
    ["2026-01-31", null],
    ["Jan 31 2026 14:05 -04:00", null],
    ["", null]
  ] as const)("is read from %j as %s", (text, expected) => {
    expect(Option.getOrNull(Option.map(readInstant(text), DateTime.formatIso))).toBe(expected)
  })
})
