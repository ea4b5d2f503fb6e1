import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import { dayOf, formatLocal, formatOffset, isDay, nextDay, periodsAt, startOfDay } from "../../core/domain/LocalTime.ts"

const at = (iso: string) => DateTime.makeUnsafe(iso)

describe("the periods of consumption", () => {
  it.each([
    // instant (UTC)              today         Monday        the first
    ["2026-03-04T03:59:59.999Z", "2026-03-03", "2026-03-02", "2026-03-01"],
    ["2026-03-04T04:00:00.000Z", "2026-03-04", "2026-03-02", "2026-03-01"],
    // Midnight in UTC is eight in the evening: nothing begins.
    ["2026-03-01T23:59:59.999Z", "2026-03-01", "2026-02-23", "2026-03-01"],
    ["2026-03-02T00:00:00.000Z", "2026-03-01", "2026-02-23", "2026-03-01"],
    // Sunday to Monday.
    ["2026-03-02T03:59:59.999Z", "2026-03-01", "2026-02-23", "2026-03-01"],
    ["2026-03-02T04:00:00.000Z", "2026-03-02", "2026-03-02", "2026-03-01"],
    ["2026-03-09T03:59:59.999Z", "2026-03-08", "2026-03-02", "2026-03-01"],
    ["2026-03-09T04:00:00.000Z", "2026-03-09", "2026-03-09", "2026-03-01"],
    // A month that ends, and a week that reaches over it.
    ["2026-05-01T03:59:59.999Z", "2026-04-30", "2026-04-27", "2026-04-01"],
    ["2026-05-01T04:00:00.000Z", "2026-05-01", "2026-04-27", "2026-05-01"],
    // A year that ends in the middle of a week.
    ["2026-01-01T03:59:59.999Z", "2025-12-31", "2025-12-29", "2025-12-01"],
    ["2026-01-01T04:00:00.000Z", "2026-01-01", "2025-12-29", "2026-01-01"],
    // Leap days, and years without one.
    ["2028-02-29T12:00:00.000Z", "2028-02-29", "2028-02-28", "2028-02-01"],
    ["2028-03-01T03:59:59.999Z", "2028-02-29", "2028-02-28", "2028-02-01"],
    ["2028-03-01T04:00:00.000Z", "2028-03-01", "2028-02-28", "2028-03-01"],
    ["2027-03-01T03:59:59.999Z", "2027-02-28", "2027-02-22", "2027-02-01"],
    ["2100-03-01T03:59:59.999Z", "2100-02-28", "2100-02-22", "2100-02-01"],
    // New York's summer time is not this country's.
    ["2026-07-15T03:59:59.999Z", "2026-07-14", "2026-07-13", "2026-07-01"],
    ["2026-07-15T04:00:00.000Z", "2026-07-15", "2026-07-13", "2026-07-01"]
  ])("at %s begin %s, %s, %s", (instant, day, week, month) => {
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

describe("an instant, as the wire shows it", () => {
  it.each([
    ["2026-03-04T03:59:59.999Z", "2026-03-03 23:59:59", "2026-03-03T23:59:59-04:00"],
    ["2026-03-04T04:00:00.000Z", "2026-03-04 00:00:00", "2026-03-04T00:00:00-04:00"],
    ["2026-01-01T00:00:00.000Z", "2025-12-31 20:00:00", "2025-12-31T20:00:00-04:00"]
  ])("%s is %s, or %s", (instant, local, offset) => {
    expect(formatLocal(at(instant))).toBe(local)
    expect(formatOffset(at(instant))).toBe(offset)
  })
})

describe("a day", () => {
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
  ])("may be %j: %s", (text, is) => {
    expect(isDay(text)).toBe(is)
  })
})
