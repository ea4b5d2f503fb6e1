import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { makeBag } from "../../core/workflows/Bag.ts"

const Steps = Schema.Array(
  Schema.Union([Schema.Literal("add"), Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))])
)

describe("a bag", () => {
  it.prop("has what was put in and not taken out, however often that is tried", [Steps], ([steps]) => {
    const bag = makeBag<number>()
    const expected = new Set<number>()
    const removals: Array<() => boolean> = []
    for (const step of steps) {
      if (step === "add") {
        const thing = removals.length
        removals.push(bag.add(thing))
        expected.add(thing)
      } else {
        assert.strictEqual(removals[step]?.() ?? false, expected.delete(step))
      }
      assert.sameMembers([...bag.all()], [...expected])
    }
  })
})
