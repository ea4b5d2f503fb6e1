import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makePrimaryCounts, makeWorkerCounter, type SentCall } from "../../../adapters/CallCounterPrimary.ts"

const bucket = { key: "token:1", limit: 3 }
const window = { length_s: 60, number: 1, endsAt_s: 120, endsIn_s: 30 }

/** Two workers of one primary process, and the number of messages that they sent. */
const twoWorkers = () => {
  const count = makePrimaryCounts()
  let messages = 0
  const worker = () => {
    const { counter, receive } = makeWorkerCounter((calls: ReadonlyArray<SentCall>) => {
      messages += 1
      const counts = count(calls)
      setImmediate(() => receive(counts))
    })
    return counter
  }
  return { one: worker(), other: worker(), messages: () => messages }
}

describe("calls that a primary process counts", () => {
  it.live("share one limit over all workers, and only admitted calls use it up", () =>
    Effect.gen(function* () {
      const { one, other } = twoWorkers()
      const calls = [one, other, one, other, one].map((counter) => counter.count(bucket, window, 1))
      const counted = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.lengthOf(
        counted.filter(({ admitted }) => admitted),
        3
      )
      const { admitted, quota } = yield* one.count(bucket, window, 0)
      assert.deepStrictEqual([admitted, quota], [true, { limit: 3, remaining: 0, window }])
      assert.isTrue((yield* other.count(bucket, { ...window, number: 2 }, 1)).admitted)
    })
  )

  it.live("are sent in one message if a worker receives them together, and each gets its own result", () =>
    Effect.gen(function* () {
      const { messages, one } = twoWorkers()
      const counted = yield* Effect.forEach(
        Array(5).keys(),
        (token) => one.count({ key: `token:${token % 2}`, limit: 10 - token }, window, 1),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(messages(), 1)
      assert.deepStrictEqual(
        counted.map(({ quota }) => [quota.limit, quota.remaining]),
        [
          [10, 9],
          [9, 8],
          [8, 6],
          [7, 5],
          [6, 3]
        ]
      )
    })
  )
})
