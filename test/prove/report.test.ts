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

describe("the figures of docs/proof.md", () => {
  it("have their place there", () => {
    assert.isNotNull(replaceTables(page, "some figures"))
  })

  it("take the place of those before them, and nothing else's", () => {
    const once = replaceTables(page, "some figures") ?? ""
    const twice = replaceTables(once, "other figures") ?? ""
    assert.include(once, "some figures")
    assert.notInclude(twice, "some figures")
    assert.strictEqual(twice.replace("other figures", "some figures"), once)
    const outside = (text: string) => [text.split("<!-- figures")[0], text.split("<!-- end of the figures -->")[1]]
    assert.deepStrictEqual(outside(twice), outside(page))
  })

  it.each(["no marks at all", "<!-- end of the figures --> <!-- figures: written by npm run prove -->"])(
    "are nowhere in a page that says: %s",
    (text) => {
      assert.isNull(replaceTables(text, "some figures"))
    }
  )

  it("say what was run, where, and what came of it", () => {
    const figures = proofTables(proof)
    for (const said of [proof.at, proof.command, proof.commit, proof.machine, proof.software, "28 min"])
      assert.include(figures, said)
    assert.include(figures, "| `npm run simulate -- --seeds 2000` | 2,000 seeds | 14 min | held | `ab12` |")
    assert.notInclude(figures, "trial")
  })

  it("say so when they are a trial's", () => {
    assert.include(proofTables({ ...proof, isWhole: false }), "Not the long form, but a trial.")
  })

  it("keep what is broken within its cell, with the command that shows it again", () => {
    const row = proofTables({ ...proof, parts: [broken] })
      .split("\n")
      .at(-1)
    assert.include(row, "**BROKEN**: a \\| b broke. Again: `npm run crash -- --rounds 13`")
  })

  it("list every planted bug with what caught it", () => {
    const caught = [{ bug: "reserve holds no money", on: "memory", seed: 3, law: "held" }]
    assert.include(
      proofTables({ ...proof, parts: [{ ...held, caught }] }),
      "| reserve holds no money | memory | 3 | held |"
    )
  })
})

describe("a proof", () => {
  it("holds when every part does", () => {
    assert.isTrue(everythingHeld(proof))
    assert.include(proofText(proof), "Everything held, in 28 min.")
  })

  it("ends with the commands that show again what did not hold", () => {
    const failed = { ...proof, parts: [broken, held, { ...broken, name: "fuzz" as const, again: null }] }
    assert.isFalse(everythingHeld(failed))
    const lines = proofText(failed).split("\n")
    assert.deepStrictEqual(
      lines.filter((line) => line.includes("again: ")).map((line) => line.trim()),
      ["again: npm run crash -- --rounds 13", "again: npm run crash -- --rounds 60"]
    )
  })
})
