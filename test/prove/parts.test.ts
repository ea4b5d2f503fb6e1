import { assert, describe, it } from "@effect/vitest"
import manifest from "../../package.json" with { type: "json" }
import { type PartName, partNames, parts, plannedFor } from "./Parts.ts"
import { commandOf, nodeArgsOf, overallProgress, progressLine, reportedShare } from "./Prove.ts"

const whole = { seed: 7, share: 1 }

describe("a part of the proof", () => {
  it.each<[PartName, number, string]>([
    ["memory", 1, "npm run simulate -- --seeds 2000 --ops 200 --seed 7"],
    ["memory", 0.01, "npm run simulate -- --seeds 20 --ops 200 --seed 7"],
    ["sql", 1, "npm run simulate -- --on sql --seeds 500 --ops 200 --seed 7"],
    ["sql", 0.001, "npm run simulate -- --on sql --seeds 1 --ops 200 --seed 7"],
    ["mutants", 1, "npm run simulate -- --mutants"],
    ["mutants", 0.01, "npm run simulate -- --mutants --on memory"],
    ["races", 1, "npm test -- test/postgres/races"],
    ["crash", 1, "npm run crash -- --rounds 60 --seed 7"],
    ["crash", 0.1, "npm run crash -- --rounds 6 --seed 7"],
    ["fuzz", 1, "npm run fuzz -- --requests 20000 --seed 7"],
    ["fuzz", 0.5, "npm run fuzz -- --requests 10000 --seed 7"]
  ])("%s at the share %d runs the command `%s`", (name, share, command) => {
    assert.strictEqual(commandOf(parts[name], { seed: 7, share }), command)
  })

  it.each(partNames)("%s runs its script of package.json and requests a JSON document", (name) => {
    const args = nodeArgsOf(parts[name], whole)
    const script = manifest.scripts[parts[name].script]
    const file = script.startsWith("node ") ? script.split(" ")[1] : "node_modules/vitest/vitest.mjs"
    assert.strictEqual(args[0], file)
    assert.include(commandOf(parts[name], whole), args.at(-2) ?? "")
    assert.strictEqual(args.at(-1), parts[name].asJson)
  })

  it("takes less time at a smaller share, unless it always runs at full size", () => {
    assert.isBelow(plannedFor(parts.memory, 0.1), plannedFor(parts.memory, 1))
    assert.strictEqual(plannedFor(parts.races, 0.1), plannedFor(parts.races, 1))
  })
})

const planned_s = [600, 300, 100]

describe("the progress of a proof", () => {
  it.each([
    // part, its share, elapsed seconds -> percent of the whole, remaining seconds
    [0, 0, 0, 0, 1_000],
    [0, 0.5, 300, 30, 700],
    [1, 0, 600, 60, 400],
    [2, 1, 1_000, 99, 0]
  ])(
    "in part %d, with the fraction %d done after %d s, is %d %% with %d s left",
    (part, share, elapsed_s, percent, left_s) => {
      assert.deepStrictEqual(overallProgress({ planned_s, part, share, elapsed_s }), { percent, left_s })
    }
  )

  it("extrapolates the remaining time from the pace so far", () => {
    const { left_s } = overallProgress({ planned_s, part: 1, share: 0, elapsed_s: 1_230 })
    assert.strictEqual(left_s, 800)
  })

  it.each([
    [" 12 %  240 of 2000 seeds (about 7 min left)", 0.12],
    ["100 %  20,000 of 20,000 requests", 1],
    ["seed 12 violates an invariant", null],
    ["", null]
  ])("reads the line `%s` as the fraction %s", (line, share) => {
    assert.strictEqual(reportedShare(line), share)
  })

  it("forwards each line of a command together with the progress of the whole proof", () => {
    const line = progressLine({ planned_s, part: 0, share: 0.5, elapsed_s: 300 }, "memory", " 50 %  1000 of 2000 seeds")
    assert.strictEqual(line, " 30 % of all, about 12 min left | memory: 50 %  1000 of 2000 seeds")
  })
})
