import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { everythingHeld, type Proof, proofTables, proofText, replaceTables } from "./ProofReport.ts"
import type { PartProof } from "./Prove.ts"

const page = readFileSync(new URL("../../docs/proof.md", import.meta.url), "utf8")

const held: PartProof = {
  name: "memory",
  command: "npm run simulate -- --seeds 2000",
  seconds: 840,
  counts: "2,000 seeds",
  digest: "ab12",
  broken: null,
  again: null
}
const broken: PartProof = {
  ...held,
  name: "crash",
  command: "npm run crash -- --rounds 60",
  digest: null,
  broken: "a | b\nbroke",
  again: "npm run crash -- --rounds 13"
}
const proof: Proof = {
  at: "2026-11-21T19:00Z",
  command: "npm run prove -- --seed 7",
  seconds: 1_700,
  isWhole: true,
  commit: "abc1234",
  machine: "2 x a processor, 8 GB, Linux",
  software: "Node v26, Postgres 18.4",
  parts: [held]
}

describe("the results in docs/proof.md", () => {
  it("have a begin and an end marker in the page", () => {
    assert.isNotNull(replaceTables(page, "some results"))
  })

  it("replace the earlier results and change nothing else", () => {
    const once = replaceTables(page, "some results") ?? ""
    const twice = replaceTables(once, "other results") ?? ""
    assert.include(once, "some results")
    assert.notInclude(twice, "some results")
    assert.strictEqual(twice.replace("other results", "some results"), once)
    const outside = (text: string) => [text.split("<!-- results")[0], text.split("<!-- end of the results -->")[1]]
    assert.deepStrictEqual(outside(twice), outside(page))
  })

  it.each(["no marks at all", "<!-- end of the results --> <!-- results: written by npm run prove -->"])(
    "cannot be written into a page that lacks the markers in their order: %s",
    (text) => {
      assert.isNull(replaceTables(text, "some results"))
    }
  )

  it("contain the commands, the environment and the outcome", () => {
    const results = proofTables(proof)
    for (const text of [proof.at, proof.command, proof.commit, proof.machine, proof.software, "28 min"])
      assert.include(results, text)
    assert.include(results, "| `npm run simulate -- --seeds 2000` | 2,000 seeds | 14 min | held | `ab12` |")
    assert.notInclude(results, "trial")
  })

  it("are marked as the results of a trial when a part ran below full size", () => {
    assert.include(proofTables({ ...proof, isWhole: false }), "A trial, not a full run.")
  })

  it("keep a violation within its table cell, and state the command that reproduces it", () => {
    const row = proofTables({ ...proof, parts: [broken] })
      .split("\n")
      .at(-1)
    assert.include(row, "**BROKEN**: a \\| b broke. Reproduce: `npm run crash -- --rounds 13`")
  })

  it("list every planted bug with the invariant that caught it", () => {
    const caught = [{ bug: "reserve holds no money", on: "memory", seed: 3, invariant: "held" }]
    assert.include(
      proofTables({ ...proof, parts: [{ ...held, caught }] }),
      "| reserve holds no money | memory | 3 | held |"
    )
  })
})

describe("a proof", () => {
  it("holds when every part holds", () => {
    assert.isTrue(everythingHeld(proof))
    assert.include(proofText(proof), "Every part held in 28 min.")
  })

  it("ends with the commands that reproduce the violations", () => {
    const failed = { ...proof, parts: [broken, held, { ...broken, name: "fuzz" as const, again: null }] }
    assert.isFalse(everythingHeld(failed))
    const lines = proofText(failed).split("\n")
    assert.deepStrictEqual(
      lines.filter((line) => line.includes("reproduce: ")).map((line) => line.trim()),
      ["reproduce: npm run crash -- --rounds 13", "reproduce: npm run crash -- --rounds 60"]
    )
  })
})
