import { assert, describe, it } from "@effect/vitest"
import { type GroupTurns, groupTurns } from "../../adapters/postgres/GroupTurns.ts"

/** Calls of one kind, whose groups finish when they are told to. */
const kindOf = (turns: GroupTurns) => {
  let count = 0
  const underWay: Array<number> = []
  const turn = turns.join({
    count: () => count,
    send: (members) => {
      count -= members
      underWay.push(members)
    }
  })
  return {
    underWay,
    call: (calls: number) => {
      count += calls
      turn.called()
    },
    finish: () => turn.finished(underWay.shift() ?? 0)
  }
}

describe("a group", () => {
  it("of a lone call goes at once", () => {
    const sale = kindOf(groupTurns())
    sale.call(1)
    assert.deepStrictEqual(sale.underWay, [1])
  })

  it.each([
    { underWay: 3, enough: 3 },
    { underWay: 16, enough: 16 },
    { underWay: 60, enough: 16 }
  ])("goes beside one of $underWay once $enough wait", ({ enough, underWay }) => {
    const sale = kindOf(groupTurns())
    sale.call(underWay)
    sale.call(enough - 1)
    assert.deepStrictEqual(sale.underWay, [underWay])
    sale.call(1)
    assert.deepStrictEqual(sale.underWay, [underWay, enough])
  })

  it("is held against those that are under way, not those that were", () => {
    const sale = kindOf(groupTurns())
    sale.call(60)
    sale.finish()
    sale.call(1)
    sale.call(1)
    assert.deepStrictEqual(sale.underWay, [1, 1])
  })

  it("waits for both that are under way, whosoever they are, and then has all that came meanwhile", () => {
    const turns = groupTurns()
    const [reservation, settlement] = [kindOf(turns), kindOf(turns)]
    reservation.call(1)
    settlement.call(1)
    reservation.call(20)
    settlement.call(30)
    assert.deepStrictEqual([reservation.underWay, settlement.underWay], [[1], [1]])
    reservation.finish()
    assert.deepStrictEqual([reservation.underWay, settlement.underWay], [[], [1, 30]])
  })

  it("has no more than 128 members", () => {
    const sale = kindOf(groupTurns())
    sale.call(300)
    assert.deepStrictEqual(sale.underWay, [128, 128])
    sale.finish()
    assert.deepStrictEqual(sale.underWay, [128, 44])
  })

  it("that was passed over for a larger one goes next, however few it has", () => {
    const turns = groupTurns()
    const [reservation, settlement] = [kindOf(turns), kindOf(turns)]
    settlement.call(40)
    settlement.call(40)
    settlement.call(40)
    reservation.call(1)
    settlement.finish()
    assert.deepStrictEqual([reservation.underWay, settlement.underWay], [[], [40, 40]])
    settlement.call(40)
    settlement.finish()
    assert.deepStrictEqual([reservation.underWay, settlement.underWay], [[1], [40]])
  })
})
