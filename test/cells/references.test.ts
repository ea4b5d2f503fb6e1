import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { confirm, deposit, propose } from "./Deposits.ts"
import { portsOfCells, strayRows, ThreeCells, violationsInCells } from "./ThreeCells.ts"

const TestLayer = Layer.provideMerge(portsOfCells, ThreeCells)

layer(TestLayer, { excludeTestServices: true, timeout: "2 minutes" })("the reference of a deposit", (it) => {
  it.effect("is accepted only once over all cells, unless the operator confirms the repetition", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* deposit(300, "T-1"), "Recorded")
      assert.strictEqual(yield* deposit(301, "t-1"), "UsedElsewhere")
      assert.strictEqual(yield* deposit(303, "T-1"), "UsedElsewhere")
      assert.strictEqual(yield* deposit(301, "T-1", false), "Recorded")
      // The check finds the company's own deposit before the deposit of the other company.
      assert.strictEqual(yield* deposit(300, "T-1"), "AlreadyRecorded")
      assert.strictEqual(yield* deposit(301, "T-1"), "AlreadyRecorded")
    })
  )

  it.effect("is accepted from only one of nine companies that deposit at the same time", () =>
    Effect.gen(function* () {
      const companies = [300, 301, 302, 303, 304, 305, 306, 307, 308]
      for (const round of [1, 2, 3, 4, 5]) {
        const tags = yield* Effect.forEach(companies, (company) => deposit(company, `R-${round}`), {
          concurrency: "unbounded"
        })
        assert.strictEqual(tags.filter((tag) => tag === "Recorded").length, 1)
        assert.strictEqual(tags.filter((tag) => tag === "UsedElsewhere").length, 8)
      }
    })
  )

  it.effect("is checked over all cells when the deposit is proposed and when it is confirmed", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* propose(301, "T-1")).made._tag, "AlreadyRecorded")
      assert.strictEqual((yield* propose(302, "T-1")).made._tag, "UsedElsewhere")
      const repeated = yield* propose(302, "T-1", true)
      assert.strictEqual(yield* confirm(repeated), "Recorded")
      assert.strictEqual(yield* confirm(repeated), "NotPending")

      const first = yield* propose(300, "P-1")
      const second = yield* propose(304, "P-1")
      const third = yield* propose(305, "P-1")
      assert.strictEqual(yield* confirm(second), "Recorded")
      assert.strictEqual(yield* confirm(first), "UsedElsewhere")
      assert.strictEqual(yield* confirm(third), "UsedElsewhere")
    })
  )

  it.effect("is confirmed for one of three companies when three operators confirm at the same time", () =>
    Effect.gen(function* () {
      for (const round of [1, 2, 3, 4, 5]) {
        const proposals = yield* Effect.forEach([306, 307, 308], (company) => propose(company, `Q-${round}`))
        const tags = yield* Effect.forEach(proposals, confirm, { concurrency: "unbounded" })
        assert.deepStrictEqual(tags.sort(), ["Recorded", "UsedElsewhere", "UsedElsewhere"])
      }
      assert.deepStrictEqual(yield* strayRows, [])
      assert.deepStrictEqual(yield* violationsInCells, [])
    })
  )
})
