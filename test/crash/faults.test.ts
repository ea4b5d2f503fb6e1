import { assert, describe, it } from "@effect/vitest"
import { allFaults, crashPointOf, type Fault, faultKindOf, faultKinds, planFaults } from "./Faults.ts"
import { crashPoints } from "./processes/CrashPoints.ts"

const seeds = [1, 2, 3, 4, 5]
const rounds = 60

const count = (hand: ReadonlyArray<Fault>, ...tags: ReadonlyArray<Fault["_tag"]>) =>
  hand.filter(({ _tag }) => tags.includes(_tag)).length

describe("mishaps", () => {
  it.each(seeds)("come all of them, by seed %d", (seed) => {
    const dealt = new Set(planFaults(seed, rounds).flat(2))
    assert.strictEqual(dealt.size, allFaults.length)
  })

  it.each(seeds)("come again only after twenty rounds, by seed %d", (seed) => {
    const dealt = planFaults(seed, 20).flat(2)
    assert.strictEqual(new Set(dealt).size, dealt.length)
  })

  it.each(seeds)("come together only where they can, by seed %d", (seed) => {
    for (const hand of planFaults(seed, rounds).flat()) {
      assert.isAtLeast(hand.length, 1)
      assert.isAtMost(count(hand, "Kill", "Pause") + 2 * count(hand, "KillBoth", "KillRecovery"), 2)
      assert.isAtMost(count(hand, "Pause", "KillRecovery", "Stall"), 1)
      assert.isAtMost(count(hand, "KillPostgres"), 1)
      assert.isAtMost(count(hand, "Cut"), 1)
      assert.isAtMost(hand.length, 3)
    }
  })

  it("come at every point and of every kind in twenty rounds, by any seed", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const dealt = planFaults(seed, 20).flat(2)
      assert.includeMembers(dealt.map(crashPointOf), [...crashPoints])
      assert.includeMembers(dealt.map(faultKindOf), [...faultKinds])
    }
  })

  it("are the same by the same seed", () => {
    assert.deepStrictEqual(planFaults(7, rounds), planFaults(7, rounds))
    assert.notDeepEqual(planFaults(7, rounds), planFaults(8, rounds))
  })
})
