import { assert, describe, it } from "@effect/vitest"
import { overallProgress, progressLine, reportedShare } from "./Prove.ts"

const planned_s = [600, 300, 100]

describe("the progress of a proof", () => {
  it.each([
    // part, its share, seconds gone -> percent of all, seconds left
    [0, 0, 0, 0, 1_000],
    [0, 0.5, 300, 30, 700],
    [1, 0, 600, 60, 400],
    [2, 1, 1_000, 99, 0]
  ])("in part %d at %d, after %d s, is at %d %%, with %d s left", (part, share, elapsed_s, percent, left_s) => {
    assert.deepStrictEqual(overallProgress({ planned_s, part, share, elapsed_s }), { percent, left_s })
  })

  it("goes by the pace so far", () => {
    const { left_s } = overallProgress({ planned_s, part: 1, share: 0, elapsed_s: 1_230 })
    assert.strictEqual(left_s, 800)
  })

  it.each([
    [" 12 %  240 of 2000 seeds (about 7 min left)", 0.12],
    ["100 %  20,000 of 20,000 requests", 1],
    ["seed 12 violates an invariant", null],
    ["", null]
  ])("reads `%s` as %s", (line, share) => {
    assert.strictEqual(reportedShare(line), share)
  })

  it("forwards what a command says", () => {
    const line = progressLine({ planned_s, part: 0, share: 0.5, elapsed_s: 300 }, "memory", " 50 %  1000 of 2000 seeds")
    assert.strictEqual(line, " 30 % of all, about 12 min left | memory: 50 %  1000 of 2000 seeds")
  })
})
