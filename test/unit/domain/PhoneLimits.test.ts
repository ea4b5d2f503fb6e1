import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Struct } from "effect"
import { messagesCounted, phoneLimitReached } from "../../../core/domain/PhoneLimits.ts"

const now = DateTime.makeUnsafe("2026-03-04T12:00:00.000Z")

/** The times of messages, each queued the given number of minutes ago. */
const queued = (...minutes: ReadonlyArray<number>) =>
  minutes.map((minute) => DateTime.subtractDuration(now, Duration.minutes(minute)))

const hour = (retryAfter_s: number) => ({ period: "hora", messages_max: 5, retryAfter_s })
const day = (retryAfter_s: number) => ({ period: "dia", messages_max: 10, retryAfter_s })

describe("another message to a phone", () => {
  it.each<readonly [ReadonlyArray<number>, object | null]>([
    [[], null],
    [[0, 0, 0, 0], null],
    [[0, 0, 0, 0, 0], hour(3_600)],
    [[1, 2, 3, 4, 31], hour(1_740)],
    [[1, 2, 3, 4, 59.999], hour(1)],
    [[1, 2, 3, 4, 60], null],
    [[1, 2, 3, 4, 61], null],
    [[61, 62, 63, 64, 65, 66, 67, 68, 69], null],
    [[61, 62, 63, 64, 65, 66, 67, 68, 69, 70], day(82_200)],
    [[61, 62, 63, 64, 65, 66, 67, 68, 69, 1_439], day(60)],
    [[61, 62, 63, 64, 65, 66, 67, 68, 69, 1_440], null],
    // Both limits forbid the message. The longer of the two waits applies.
    [[1, 2, 3, 4, 5, 600, 601, 602, 603, 604], day(50_160)],
    [[1, 2, 3, 4, 5, 600, 601, 602, 603, 1_439], hour(3_300)]
  ])("after messages %j minutes ago is refused by the limit %j (null: allowed)", (minutes, limited) => {
    const reached = phoneLimitReached(queued(...minutes), now)
    assert.deepStrictEqual(reached && Struct.pick(reached, ["period", "messages_max", "retryAfter_s"]), limited)
  })

  it("depends only on the ten newest messages, because ten is the largest limit", () => {
    assert.strictEqual(messagesCounted, 10)
  })
})
