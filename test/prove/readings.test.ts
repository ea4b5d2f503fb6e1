import { assert, describe, it } from "@effect/vitest"
import { type PartName, type PartResult, parts } from "./Parts.ts"
import { judgePart } from "./Prove.ts"

const seeds = {
  done: 2_000,
  ops: 200,
  digest: "ab12",
  coverage: { "sale: reserve × cut": 31, "sale: settle × cut before commit": 12 }
}
const rounds = {
  ok: true,
  rounds: 60,
  operations: 900,
  calls: 2_400,
  unanswered: 130,
  reached: ["before ask"],
  missed: []
}
const requests = {
  requests: 20_003,
  endpoints: [{ seen: [200, 404] }],
  trpc: { procedures: ["saldo"], calls: 5 },
  again: "npm run fuzz"
}
const breach = { invariant: "an external operation is performed once", what: "RD-1 was done 2 times" }
const bug = (caught: object | null) => ({ mutant: "reserve holds no money", on: "memory", caught })

const readingOf = (name: PartName, document: object, exitCode: number): PartResult =>
  judgePart(parts[name], { stdout: JSON.stringify(document), exitCode }, [])

describe("the document of a command", () => {
  it.each<[PartName, object, string]>([
    [
      "memory",
      { ...seeds, thin: [], failure: null },
      "2,000 seeds of 200 operations; 2 pairs of step and fault, the rarest 12 times"
    ],
    [
      "mutants",
      { seeds: 200, ops: 200, mutants: [bug({ seed: 3, invariant: "held" })] },
      "1 planted bugs, each in at most 200 seeds of 200 operations"
    ],
    [
      "crash",
      rounds,
      "60 rounds; 900 operations in 2,400 calls, 130 of them without a response; servers killed or stopped at 1 of 1 points"
    ],
    [
      "fuzz",
      { ...requests, broken: [] },
      "20,003 requests; 1 paths and methods, 5 calls of 1 procedures over tRPC, 2 statuses seen"
    ],
    ["races", { files: 1, passed: 1, failed: [] }, "1 tests in 1 files"]
  ])("shows that the part %s held", (name, document, counts) => {
    const reading = readingOf(name, document, 0)
    assert.isNull(reading.broken)
    assert.strictEqual(reading.counts, counts)
  })

  it.each<[PartName, object, string, string | null]>([
    [
      "memory",
      {
        ...seeds,
        thin: [],
        failure: { invariant: "held", what: "held 5, unresolved 4", again: "npm run simulate -- --seed 9" }
      },
      "held: held 5, unresolved 4",
      "npm run simulate -- --seed 9"
    ],
    [
      "memory",
      { ...seeds, thin: ["sale: settle × cut before commit"], failure: null },
      "faults that were too rare: sale: settle × cut before commit",
      null
    ],
    ["mutants", { seeds: 200, ops: 200, mutants: [bug(null)] }, "not caught: reserve holds no money", null],
    [
      "crash",
      { ok: false, rounds: 60, seed: 5, round: 13, breaches: [breach] },
      "an external operation is performed once: RD-1 was done 2 times",
      "npm run crash -- --seed 5 --rounds 13"
    ],
    [
      "fuzz",
      { ...requests, broken: [breach] },
      "an external operation is performed once: RD-1 was done 2 times",
      "npm run fuzz"
    ],
    ["races", { files: 1, passed: 0, failed: ["a sale is one"] }, "a sale is one", null]
  ])("shows a violation in the part %s", (name, document, broken, again) => {
    const reading = readingOf(name, document, 1)
    assert.deepStrictEqual([reading.broken, reading.again], [broken, again])
  })

  it("names each planted bug with the seed and the invariant that caught it", () => {
    const { caught } = readingOf(
      "mutants",
      { seeds: 200, ops: 200, mutants: [bug({ seed: 3, invariant: "held", what: "5" })] },
      0
    )
    assert.deepStrictEqual(caught, [{ bug: "reserve holds no money", on: "memory", seed: 3, invariant: "held" }])
  })

  it("is rejected when the exit code of the command contradicts it", () => {
    assert.strictEqual(readingOf("races", { files: 1, passed: 1, failed: [] }, 1).broken, "it ended with exit code 1")
    assert.strictEqual(
      judgePart(parts.crash, { stdout: JSON.stringify(rounds), exitCode: null }, []).broken,
      "a signal ended it"
    )
  })

  it("is reported as a violation when it is missing, with the output of the command", () => {
    const { broken } = judgePart(parts.fuzz, { stdout: "a stack\n  of lines\n", exitCode: 1 }, ["no room on the disk"])
    assert.strictEqual(
      broken,
      "it ended with exit code 1 and printed no document: no room on the disk: a stack: of lines"
    )
  })
})
