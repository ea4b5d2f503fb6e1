import { describe, expect, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { extrasFor, VehicleType, validFor } from "../../core/domain/InsuranceOffer.ts"
import { nextDay } from "../../core/domain/LocalTime.ts"
import { home, tow } from "../support/InsuranceExample.ts"

describe("the extras for a vehicle", () => {
  it.each(VehicleType.literals.filter((type) => type !== "motocicleta"))(
    "of type %s are all that there are",
    (type) => {
      expect(extrasFor(type, [tow, home])).toEqual([tow, home])
    }
  )

  it("have no tow for a motorcycle", () => {
    expect(extrasFor("motocicleta", [tow, home])).toEqual([home])
  })
})

describe("a policy", () => {
  it.each([
    // begins (UTC), months -> first day, last day
    ["2026-03-04T12:00:00.000Z", 12, "2026-03-04", "2027-03-03"],
    ["2026-03-04T12:00:00.000Z", 6, "2026-03-04", "2026-09-03"],
    // The day is the local one.
    ["2026-03-05T03:59:59.999Z", 12, "2026-03-04", "2027-03-03"],
    ["2026-03-05T04:00:00.000Z", 12, "2026-03-05", "2027-03-04"],
    ["2027-01-01T03:59:59.999Z", 6, "2026-12-31", "2027-06-30"],
    // From the first of a month to the last of another.
    ["2026-03-01T12:00:00.000Z", 12, "2026-03-01", "2027-02-28"],
    ["2027-03-01T12:00:00.000Z", 12, "2027-03-01", "2028-02-29"],
    ["2026-01-01T12:00:00.000Z", 6, "2026-01-01", "2026-06-30"],
    // Where the month has no such day.
    ["2026-08-31T12:00:00.000Z", 6, "2026-08-31", "2027-02-28"],
    ["2027-08-31T12:00:00.000Z", 6, "2027-08-31", "2028-02-29"],
    ["2026-08-29T12:00:00.000Z", 6, "2026-08-29", "2027-02-28"],
    ["2027-08-29T12:00:00.000Z", 6, "2027-08-29", "2028-02-28"],
    ["2028-02-29T12:00:00.000Z", 12, "2028-02-29", "2029-02-28"],
    ["2028-02-28T12:00:00.000Z", 12, "2028-02-28", "2029-02-27"],
    ["2026-10-31T12:00:00.000Z", 1, "2026-10-31", "2026-11-30"]
  ])("that begins at %s for %d months lasts from %s to %s", (begins, months, from, until) => {
    expect(validFor(DateTime.makeUnsafe(begins), months)).toEqual({ from, until })
  })

  it("never ends earlier for beginning later, and gives way on the same day of the month, or on a first", () => {
    const days = fc.integer({ min: 0, max: 40_000 }).map((day) => DateTime.makeUnsafe(day * 86_400_000))
    fc.assert(
      fc.property(days, fc.integer({ min: 1, max: 24 }), (begins, months) => {
        const { from, until } = validFor(begins, months)
        const tomorrow = validFor(DateTime.add(begins, { days: 1 }), months)
        expect(tomorrow.from).toBe(nextDay(from))
        expect(tomorrow.until >= until).toBe(true)
        expect([from.slice(8), "01"]).toContain(nextDay(until).slice(8))
      })
    )
  })
})
