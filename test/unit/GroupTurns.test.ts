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

  it("goes beside another once as many wait as are under way", () => {
    const sale = kindOf(groupTurns())
    sale.call(3)
    sale.call(2)
    assert.deepStrictEqual(sale.underWay, [3])
    sale.call(1)
    assert.deepStrictEqual(sale.underWay, [3, 3])
  })

  it("is held against those that are under way, not those that were", () => {
    const sale = kindOf(groupTurns())
    sale.call(60)
    sale.finish()
    sale.call(1)
    sale.call(1)
    assert.deepStrictEqual(sale.underWay, [1, 1])
  })

  it("goes beside a large one once sixteen wait", () => {
    const sale = kindOf(groupTurns())
    sale.call(60)
    sale.call(15)
    assert.deepStrictEqual(sale.underWay, [60])
    sale.call(1)
    assert.deepStrictEqual(sale.underWay, [60, 16])
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
