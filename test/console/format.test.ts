import { assert, describe, it } from "@effect/vitest"
import { ago, dateTime, day, duration, percent, pesos, timeOfDay } from "../../facade/console/ui/Format.ts"

describe("the console's formats", () => {
  it.each([
    [1234.5, "RD$ 1,234.50"],
    [0, "RD$ 0.00"],
    [-500, "−RD$ 500.00"],
    [70_368_744_177_663.99, "RD$ 70,368,744,177,663.99"]
  ])("write %d pesos as %s", (amount, text) => {
    assert.strictEqual(pesos(amount), text)
  })

  it("write times of Santo Domingo, in whatever time zone the browser is", () => {
    assert.strictEqual(dateTime("2026-11-26T16:05:09-04:00"), "26 nov 2026, 4:05 p. m.")
    assert.strictEqual(dateTime("2026-11-27T02:30:00Z"), "26 nov 2026, 10:30 p. m.")
    assert.strictEqual(day("2026-11-26"), "26 nov 2026")
    assert.strictEqual(timeOfDay("2026-11-26T09:05:09-04:00"), "9:05:09 a. m.")
  })

  it.each([
    [0.4, "0 s"],
    [59, "59 s"],
    [60, "1 min"],
    [3_660, "1 h 1 min"],
    [7_200, "2 h"],
    [90_000, "1 d 1 h"]
  ])("write %d seconds as %s", (seconds, text) => {
    assert.strictEqual(duration(seconds), text)
  })

  it("write percentages and ages", () => {
    assert.strictEqual(percent(0.992), "99.2%")
    assert.strictEqual(ago("2026-11-26T16:05:00-04:00", Date.parse("2026-11-26T16:10:00-04:00")), "hace 5 min")
  })
})
