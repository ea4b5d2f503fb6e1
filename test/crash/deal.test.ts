import { assert, describe, it } from "@effect/vitest"
import { deal } from "../../crash/mishaps/Deal.ts"
import { deck, kindOf, kinds, type Mishap, pointOf } from "../../crash/mishaps/Mishap.ts"
import { points } from "../../crash/server/Points.ts"

const seeds = [1, 2, 3, 4, 5]
const rounds = 60

const count = (hand: ReadonlyArray<Mishap>, ...tags: ReadonlyArray<Mishap["_tag"]>) =>
  hand.filter(({ _tag }) => tags.includes(_tag)).length

describe("mishaps", () => {
  it.each(seeds)("come all of them, by seed %d", (seed) => {
    const dealt = new Set(deal(seed, rounds).flat(2))
    assert.strictEqual(dealt.size, deck.length)
  })

  it.each(seeds)("come again only after twenty rounds, by seed %d", (seed) => {
    const dealt = deal(seed, 20).flat(2)
    assert.strictEqual(new Set(dealt).size, dealt.length)
  })

  it.each(seeds)("come together only where they can, by seed %d", (seed) => {
    for (const hand of deal(seed, rounds).flat()) {
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
      const dealt = deal(seed, 20).flat(2)
      assert.includeMembers(dealt.map(pointOf), [...points])
      assert.includeMembers(dealt.map(kindOf), [...kinds])
    }
  })

  it("are the same by the same seed", () => {
    assert.deepStrictEqual(deal(7, rounds), deal(7, rounds))
    assert.notDeepEqual(deal(7, rounds), deal(8, rounds))
  })
})
