import { assert, describe, it } from "@effect/vitest"
import { allFaults, crashPointOf, type Fault, faultKindOf, faultKinds, planFaults } from "./Faults.ts"
import { crashPoints } from "./processes/CrashPoints.ts"

const seeds = [1, 2, 3, 4, 5]
const rounds = 60

const count = (group: ReadonlyArray<Fault>, ...tags: ReadonlyArray<Fault["_tag"]>) =>
  group.filter(({ _tag }) => tags.includes(_tag)).length

describe("the planned faults", () => {
  it.each(seeds)("contain every fault in 60 rounds with seed %d, except some steps of moves", (seed) => {
    const planned = new Set(planFaults(seed, rounds).flat(2))
    for (const fault of allFaults) if (fault._tag !== "KillMove") assert.isTrue(planned.has(fault))
    assert.strictEqual(count([...planned], "KillMove"), 6)
  })

  it.each(seeds)("contain every step of a move in 240 rounds with seed %d", (seed) => {
    const planned = new Set(planFaults(seed, 240).flat(2))
    assert.strictEqual(planned.size, allFaults.length)
  })

  it.each(seeds)("contain no fault twice in twenty rounds with seed %d", (seed) => {
    const planned = planFaults(seed, 20).flat(2)
    assert.strictEqual(new Set(planned).size, planned.length)
  })

  it.each(seeds)("combine only compatible faults with seed %d", (seed) => {
    for (const group of planFaults(seed, rounds).flat()) {
      assert.isAtLeast(group.length, 1)
      const ofBoth = count(group, "KillBoth", "KillRecovery", "KillClosing", "PauseClosing")
      assert.isAtMost(count(group, "Kill", "Pause") + 2 * ofBoth, 2)
      assert.isAtMost(count(group, "Pause", "KillRecovery", "KillClosing", "PauseClosing", "Stall"), 1)
      assert.isAtMost(count(group, "KillPostgres"), 1)
      assert.isAtMost(count(group, "Cut"), 1)
      assert.isAtMost(count(group, "CloseCell", "KillMove"), 1)
      assert.isAtMost(group.length, 3)
    }
  })

  it.each(seeds)("let a midnight pass only at the start of a round with seed %d", (seed) => {
    for (const [, ...later] of planFaults(seed, rounds))
      assert.strictEqual(count(later.flat(), "KillClosing", "PauseClosing"), 0)
  })

  it("contain every crash point and every kind of fault in twenty rounds with any seed", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const planned = planFaults(seed, 20).flat(2)
      assert.includeMembers(planned.map(crashPointOf), [...crashPoints])
      assert.includeMembers(planned.map(faultKindOf), [...faultKinds])
    }
  })

  it("are reproducible from the seed", () => {
    assert.deepStrictEqual(planFaults(7, rounds), planFaults(7, rounds))
    assert.notDeepEqual(planFaults(7, rounds), planFaults(8, rounds))
  })
})
