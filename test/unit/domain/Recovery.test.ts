import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import fc from "fast-check"
import { conclude, nextAsk, nextAttempt, orphanedAfter, StatusAnswer } from "../../../core/domain/Recovery.ts"
import { Verdict } from "../../../core/domain/Sale.ts"

const createdAt = DateTime.makeUnsafe("2026-03-04T12:00:00.000Z")

const atAge = (age: Duration.Duration) => DateTime.addDuration(createdAt, age)

describe("the next attempt of an operation", () => {
  it.each([
    // regular interval (min), age (s), next attempt at (s)
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
  ])("with an interval of %d min, at the age of %d s, is planned for the age of %d s", (every_min, age_s, next_s) => {
    const next = nextAttempt(Duration.minutes(every_min))(createdAt, atAge(Duration.seconds(age_s)))
    expect(next).toEqual(atAge(Duration.seconds(next_s)))
  })
})

const aged = (seconds: number) => DateTime.add(createdAt, { milliseconds: seconds * 1000 })

describe("the next question about an unresolved sale", () => {
  it.each([
    // age (s), next question at (s)
    [0, 5],
    [1, 5],
    [4.999, 5],
    [5, 15],
    [14.999, 15],
    [15, 30],
    [29.999, 30],
    [30, 60],
    [59.999, 60],
    [60, 360],
    [61, 361],
    [360, 660],
    [900, 1_200],
    [86_400, 86_700]
  ])("about a sale of the age %d s is planned for the age %d s", (age, next) => {
    expect(nextAsk(createdAt, aged(age))).toEqual(aged(next))
  })

  it("is always in the future, and within five minutes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100_000_000 }), (age_ms) => {
        const now = aged(age_ms / 1000)
        const wait_ms = DateTime.toEpochMillis(nextAsk(createdAt, now)) - DateTime.toEpochMillis(now)
        expect(wait_ms).toBeGreaterThan(0)
        expect(wait_ms).toBeLessThanOrEqual(300_000)
      })
    )
  })

  it("is due after one minute if the sale is in PROCESSING, because the provider may still answer the sale itself", () => {
    expect(DateTime.addDuration(createdAt, orphanedAfter)).toEqual(aged(60))
  })
})

const delivery = { authCode: "A1", rechargeToken: null }
const confirm = Verdict.Confirm({ delivery })
const rejected = Verdict.Release({ refusal: "TRANSACTION_REJECTED" })
const denial = "SEGURO_NO_EMITIDO"
const denied = Verdict.Release({ refusal: denial })
const hold = Verdict.Hold()
const { Delivered, NotFound, Refused, TakenBack, Unknown } = StatusAnswer

describe("the conclusion of recovery", () => {
  it.each([
    // age (s), "not found" answers so far, the provider's answer -> verdict, "not found" answers
    ["confirms a delivered sale at any age", 5, 0, Delivered({ delivery }), confirm, 0],
    ['confirms a delivered sale after a "not found" answer', 1_200, 1, Delivered({ delivery }), confirm, 0],
    ["releases a refused sale at any age", 5, 0, Refused({ refusal: "TRANSACTION_REJECTED" }), rejected, 0],
    [
      "keeps the reason of a refusal",
      5,
      0,
      Refused({ refusal: "INVALID_PHONE" }),
      Verdict.Release({ refusal: "INVALID_PHONE" }),
      0
    ],
    ["holds the sale if the answer is Unknown", 5, 0, Unknown(), hold, 0],
    ["holds the sale if the answer is Unknown, even after a year", 31_536_000, 0, Unknown(), hold, 0],
    ["holds a sale that the provider took back, at any age", 31_536_000, 0, TakenBack(), hold, 0],
    ['resets the count of "not found" answers on Unknown', 1_200, 1, Unknown(), hold, 0],
    ['treats "not found" as Unknown at first', 5, 0, NotFound(), hold, 0],
    ['treats "not found" as Unknown before the age of 15 minutes', 899.999, 0, NotFound(), hold, 0],
    ['does not count a "not found" before the age of 15 minutes', 899.999, 1, NotFound(), hold, 0],
    ['holds the sale and counts the first "not found" at the age of 15 minutes', 900, 0, NotFound(), hold, 1],
    ['holds the sale and counts the first "not found" long after 15 minutes', 100_000, 0, NotFound(), hold, 1],
    ['releases the sale on the second "not found" in a row', 1_200, 1, NotFound(), denied, 2]
  ] as const)("%s", (_, age, notFound, answer, verdict, counted) => {
    expect(conclude({ createdAt, notFound, askAt: null }, answer, aged(age), denial)).toEqual({
      verdict,
      notFound: counted
    })
  })

  it('counts a second "not found" only if the question was due', () => {
    const heard = (notFound: number, due: number) =>
      conclude({ createdAt, notFound, askAt: aged(due) }, NotFound(), aged(1_200), denial)
    expect(heard(1, 1_200.001)).toBeNull()
    expect(heard(1, 1_200)).toEqual({ verdict: denied, notFound: 2 })
    expect(heard(0, 1_300)).toEqual({ verdict: hold, notFound: 1 })
    expect(heard(1, 2_100)).toBeNull()
    expect(heard(1, 2_100.001)).toEqual({ verdict: hold, notFound: 0 })
  })

  it('keeps the count of "not found" answers when the question was not sent', () => {
    const asked = (notFound: number) =>
      conclude({ createdAt, notFound, askAt: null }, StatusAnswer.NotAsked(), aged(1_200), denial)
    expect(asked(1)).toBeNull()
    expect(asked(0)).toEqual({ verdict: hold, notFound: 0 })
  })

  it("never releases a sale on Unknown, in any sequence of answers", () => {
    const said = fc.array(fc.record({ wait: fc.integer({ min: 1, max: 600 }), known: fc.boolean() }), { maxLength: 40 })
    fc.assert(
      fc.property(said, (answers) => {
        let age = 0
        let notFound = 0
        let firm = 0
        for (const { known, wait } of answers) {
          age += wait
          const answer = known ? Unknown() : NotFound()
          const concluded = conclude({ createdAt, notFound, askAt: null }, answer, aged(age), denial)
          firm = !known && age >= 900 ? firm + 1 : 0
          expect(concluded?.verdict._tag).toBe(firm >= 2 ? "Release" : "Hold")
          notFound = concluded?.notFound ?? 0
        }
      })
    )
  })
})
