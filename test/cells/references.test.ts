import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { expiryOf } from "../../core/domain/FundingProposal.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import { FundingProposals } from "../../core/ports/FundingProposals.ts"
import { Ledger } from "../../core/ports/Ledger.ts"
import { portsOfCells, strayRows, ThreeCells, violationsInCells } from "./ThreeCells.ts"

const deposit = Effect.fnUntraced(function* (company: number, reference: string, isNew = true) {
  const { deposit } = yield* Ledger
  const at = yield* DateTime.now
  return (yield* deposit({ companyId: CompanyId.make(company), amount: Amount.make(500), reference, at, isNew }))._tag
})

/** Proposes a deposit, and returns the result and the proposal. */
const propose = Effect.fnUntraced(function* (company: number, reference: string, isRepeated = false) {
  const { list, propose } = yield* FundingProposals
  const at = yield* DateTime.now
  const companyId = CompanyId.make(company)
  const made = yield* propose({
    companyId,
    kind: "deposit",
    amount: 500,
    reference,
    isRepeated,
    reason: null,
    proposedBy: "ana",
    proposedAt: at,
    expiresAt: expiryOf(at)
  })
  const [proposal] = yield* list(companyId, 1)
  return { made, proposal }
})

const confirm = Effect.fnUntraced(function* ({ proposal }: Effect.Success<ReturnType<typeof propose>>) {
  if (proposal === undefined) return assert.fail("nothing was proposed")
  const { confirm } = yield* FundingProposals
  return (yield* confirm(proposal, { by: "luis", at: yield* DateTime.now }))._tag
})

const TestLayer = Layer.provideMerge(portsOfCells, ThreeCells)

layer(TestLayer, { excludeTestServices: true, timeout: "2 minutes" })("the reference of a deposit", (it) => {
  it.effect("is used once over all cells, unless the operator repeats it", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* deposit(300, "T-1"), "Recorded")
      assert.strictEqual(yield* deposit(301, "t-1"), "UsedElsewhere")
      assert.strictEqual(yield* deposit(303, "T-1"), "UsedElsewhere")
      assert.strictEqual(yield* deposit(301, "T-1", false), "Recorded")
      // The company's own deposit is found first.
      assert.strictEqual(yield* deposit(300, "T-1"), "AlreadyRecorded")
      assert.strictEqual(yield* deposit(301, "T-1"), "AlreadyRecorded")
    })
  )

  it.effect("is used by one of nine companies that deposit at once", () =>
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

  it.effect("is confirmed for one of three companies when three operators confirm at once", () =>
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
