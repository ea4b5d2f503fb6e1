import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { checks, contradictionOf } from "../../../core/domain/FollowUp.ts"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"

const { Delivered, NotAsked, NotFound, Refused, TakenBack, Unknown } = StatusAnswer

const delivered = Delivered({ delivery: { authCode: "A1", rechargeToken: null } })
const refused = Refused({ refusal: "TRANSACTION_REJECTED" })

describe("a later answer about a settled sale", () => {
  it.each([
    // status, answer -> contradiction
    ["SUCCESS", delivered, null],
    ["SUCCESS", refused, "late_refusal"],
    ["SUCCESS", TakenBack(), "late_reversal"],
    ["SUCCESS", NotFound(), null],
    ["SUCCESS", NotAsked(), null],
    ["SUCCESS", Unknown(), null],
    ["FAILED", delivered, "late_success"],
    ["FAILED", refused, null],
    ["FAILED", TakenBack(), null],
    ["FAILED", NotFound(), null],
    ["FAILED", NotAsked(), null],
    ["FAILED", Unknown(), null]
  ] as const)(
    "contradicts the status %s, if it is %j, in this way: %s (null: no contradiction)",
    (status, answer, kind) => {
      assert.strictEqual(contradictionOf(status, answer), kind)
    }
  )

  it("is requested 1, 6, 24 and 48 hours after the settlement, but not once 6, 24, 48 or 72 hours have passed", () => {
    const hours = (duration: Duration.Duration) => Duration.toMillis(duration) / 3_600_000
    assert.deepStrictEqual(
      checks.map(({ dueAfter, hours: name, lateAfter }) => [name, hours(dueAfter), hours(lateAfter)]),
      [
        [1, 1, 6],
        [6, 6, 24],
        [24, 24, 48],
        [48, 48, 72]
      ]
    )
  })
})
