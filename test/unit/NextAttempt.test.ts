import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { nextAttempt } from "../../core/domain/NextAttempt.ts"

const createdAt = DateTime.makeUnsafe("2026-03-04T12:00:00.000Z")
const aged = (age: Duration.Duration) => DateTime.addDuration(createdAt, age)

describe("what did not succeed is attempted next", () => {
  it.each([
    // every (min), at this age (s), next at (s)
    [2, 0, 5],
    [2, 4.999, 5],
    [2, 5, 15],
    [2, 15, 30],
    [2, 30, 60],
    [2, 59.999, 60],
    [2, 60, 180],
    [2, 86_400, 86_520],
    [5, 5, 15],
    [5, 60, 360],
    [5, 61, 361]
  ])("every %d min in the end, at the age of %d s: at %d s", (every_min, age_s, next_s) => {
    const next = nextAttempt(Duration.minutes(every_min))(createdAt, aged(Duration.seconds(age_s)))
    expect(next).toEqual(aged(Duration.seconds(next_s)))
  })
})
