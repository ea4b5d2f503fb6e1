import { assert, describe, it } from "@effect/vitest"
import { deal } from "../../crash/mishaps/Deal.ts"
import { deck, type Mishap } from "../../crash/mishaps/Mishap.ts"

const seeds = [1, 2, 3, 4, 5]
const rounds = 60

const count = (hand: ReadonlyArray<Mishap>, ...tags: ReadonlyArray<Mishap["_tag"]>) =>
  hand.filter(({ _tag }) => tags.includes(_tag)).length

describe("mishaps", () => {
  it.each(seeds)("come all of them, by seed %d", (seed) => {
    const dealt = new Set(deal(seed, rounds).flat())
    assert.strictEqual(dealt.size, deck.length)
  })

  it.each(seeds)("come again only when most others have come, by seed %d", (seed) => {
    const dealt = deal(seed, rounds)
      .flat()
      .slice(0, deck.length / 2)
    assert.strictEqual(new Set(dealt).size, dealt.length)
  })

  it.each(seeds)("come together only where they can, by seed %d", (seed) => {
    for (const hand of deal(seed, rounds)) {
      assert.isAtLeast(hand.length, 1)
      assert.isAtMost(count(hand, "Kill", "Pause") + 2 * count(hand, "KillBoth", "KillRecovery"), 2)
      assert.isAtMost(count(hand, "Pause", "KillRecovery", "Stall"), 1)
      assert.isAtMost(count(hand, "KillPostgres"), 1)
      assert.isAtMost(count(hand, "Cut"), 1)
    }
  })

  it("are the same by the same seed", () => {
    assert.deepStrictEqual(deal(7, rounds), deal(7, rounds))
    assert.notDeepEqual(deal(7, rounds), deal(8, rounds))
  })
})
