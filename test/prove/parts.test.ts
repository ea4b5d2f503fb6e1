import { assert, describe, it } from "@effect/vitest"
import manifest from "../../package.json" with { type: "json" }
import { type PartName, partNames, parts, plannedFor } from "./Parts.ts"
import { commandOf, nodeArgsOf } from "./Prove.ts"

const whole = { seed: 7, share: 1 }

describe("a part of the proof", () => {
  it.each<[PartName, number, string]>([
    ["memory", 1, "npm run simulate -- --seeds 2000 --ops 200 --seed 7"],
    ["memory", 0.01, "npm run simulate -- --seeds 20 --ops 200 --seed 7"],
    ["sql", 1, "npm run simulate -- --on sql --seeds 300 --ops 200 --seed 7"],
    ["sql", 0.001, "npm run simulate -- --on sql --seeds 1 --ops 200 --seed 7"],
    ["mutants", 1, "npm run simulate -- --mutants"],
    ["mutants", 0.01, "npm run simulate -- --mutants --on memory"],
    ["races", 1, "npm test -- test/races"],
    ["crash", 1, "npm run crash -- --rounds 60 --seed 7"],
    ["crash", 0.1, "npm run crash -- --rounds 6 --seed 7"],
    ["fuzz", 1, "npm run fuzz -- --requests 20000 --seed 7"],
    ["fuzz", 0.5, "npm run fuzz -- --requests 10000 --seed 7"]
  ])("%s at a share of %d is `%s`", (name, share, command) => {
    assert.strictEqual(commandOf(parts[name], { seed: 7, share }), command)
  })

  it.each(partNames)("%s is run as its script says, and asked for a document", (name) => {
    const args = nodeArgsOf(parts[name], whole)
    const script = manifest.scripts[parts[name].script]
    const file = script.startsWith("node ") ? script.split(" ")[1] : "node_modules/vitest/vitest.mjs"
    assert.strictEqual(args[0], file)
    assert.include(commandOf(parts[name], whole), args.at(-2) ?? "")
    assert.strictEqual(args.at(-1), parts[name].asJson)
  })

  it("is planned shorter when its share is, unless it is always whole", () => {
    assert.isBelow(plannedFor(parts.memory, 0.1), plannedFor(parts.memory, 1))
    assert.strictEqual(plannedFor(parts.races, 0.1), plannedFor(parts.races, 1))
  })
})
