import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import fc from "fast-check"
import { isoInstant } from "../../core/domain/IsoTime.ts"

const day_ms = 24 * 60 * 60 * 1000

/** Any instant of the calendar, and those to either side of midnight and of a second. */
const instant = fc.oneof(
  fc.date({ noInvalidDate: true }),
  fc
    .tuple(
      fc.integer({ min: -40_000, max: 80_000 }),
      fc.constantFrom(0, 1000, day_ms / 2),
      fc.integer({ min: -1, max: 1 })
    )
    .map(([day, within_ms, off_ms]) => new Date(day * day_ms + within_ms + off_ms))
)

describe("an instant as ISO text", () => {
  it("is what the runtime says, also of one day after another", () => {
    fc.assert(
      fc.property(fc.array(instant, { maxLength: 8 }), (instants) => {
        const written = instants.map((when) => isoInstant(DateTime.makeUnsafe(when)))
        expect(written).toEqual(instants.map((when) => when.toISOString()))
      }),
      { numRuns: 1000 }
    )
  })

  it("is what the library says, also of a part of a millisecond", () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: 0, max: 2_000_000 }), (when, added_ns) => {
        const moment = DateTime.addDuration(DateTime.makeUnsafe(when), Duration.nanos(BigInt(added_ns)))
        fc.pre(DateTime.toEpochMillis(moment) <= 8.64e15)
        expect(isoInstant(moment)).toBe(DateTime.formatIso(moment))
      }),
      { numRuns: 1000 }
    )
  })
})
