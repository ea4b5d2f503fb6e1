import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import { adjust } from "../../../core/domain/Account.ts"
import {
  confirmable,
  expiryOf,
  type FundingProposal,
  isConfirmedBy,
  needsConfirmation,
  ProposalNumber,
  pendingFirst,
  rejectable,
  stateAt
} from "../../../core/domain/FundingProposal.ts"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Amount, Centavos, readAdjustment } from "../../../core/domain/Money.ts"
import { OperatorId } from "../../../core/domain/Operator.ts"

const proposedAt = DateTime.makeUnsafe("2026-03-02T12:00:00Z")
const hours = (count: number) => DateTime.add(proposedAt, { hours: count })

const proposal: FundingProposal = {
  number: ProposalNumber.make(7),
  companyId: CompanyId.make(1),
  kind: "adjustment",
  amount: -500,
  reference: "C-1",
  isRepeated: false,
  reason: "error",
  proposedBy: "Ana Peña",
  proposedAt,
  expiresAt: expiryOf(proposedAt),
  state: "pending",
  decision: null,
  entryId: null
}
const decision = { by: "Beto", at: hours(1), reason: null }
const confirmed: FundingProposal = { ...proposal, state: "confirmed", decision, entryId: 9 }
const rejected: FundingProposal = { ...proposal, state: "rejected", decision: { ...decision, reason: "no" } }

const actorNamed = (name: string | null) =>
  name === null ? { id: null, name: "local" } : { id: OperatorId.make(1), name }

describe("a proposal of a deposit or correction", () => {
  // Proposal, operator (null: an actor without an account), hours since the proposal -> the reasons why the operator may not confirm it and may not reject it.
  // Null: the operator may.
  it.each([
    [proposal, "Beto", 0, null, null],
    [proposal, "Beto", 23.999, null, null],
    [proposal, "Beto", 24, "expired", "expired"],
    [proposal, "Ana Peña", 1, "same_operator", null],
    [proposal, "ana  pen\u0303a", 1, "same_operator", null],
    [proposal, "Ana Pena", 1, null, null],
    [proposal, null, 1, "no_account", null],
    [proposal, "Ana Peña", 24, "expired", "expired"],
    [confirmed, "Carla", 2, "confirmed", "confirmed"],
    [confirmed, "Carla", 48, "confirmed", "confirmed"],
    [rejected, "Carla", 2, "rejected", "rejected"],
    [{ ...proposal, state: "expired" }, "Carla", 2, "expired", "expired"]
  ] as const)(
    "can be confirmed, and rejected, unless the table states a reason: case %#",
    (given, operator, after, confirm, reject) => {
      const at = hours(after)
      const whyNot = (result: Result.Result<unknown, { readonly why: string }>) =>
        Result.match(result, { onSuccess: () => null, onFailure: ({ why }) => why })
      assert.strictEqual(whyNot(confirmable(given, actorNamed(operator), at)), confirm)
      assert.strictEqual(whyNot(rejectable(given, at)), reject)
    }
  )

  it("states in the refusal which operator has decided", () => {
    const refused = confirmable(confirmed, actorNamed("Carla"), hours(2))
    assert.isTrue(Result.isFailure(refused))
    assert.deepStrictEqual(Result.isFailure(refused) && refused.failure.decision, { by: "Beto", at: hours(1) })
  })

  it("is recognised as confirmed by an operator, however the operator's name is spelled", () => {
    assert.deepStrictEqual(
      [confirmed, confirmed, rejected, proposal].map((each, index) =>
        isConfirmedBy(each, index === 1 ? "Ana" : "BETO")
      ),
      [true, false, false, false]
    )
  })

  it("expires after 24 hours if it is still pending", () => {
    const states = [proposal, confirmed, rejected].map((each) => [stateAt(each, hours(23)), stateAt(each, hours(24))])
    assert.deepStrictEqual(states, [
      ["pending", "expired"],
      ["confirmed", "confirmed"],
      ["rejected", "rejected"]
    ])
  })

  it("is listed before decided proposals while it is pending, and newer proposals come first", () => {
    const numbered = (number: number, given: FundingProposal) => ({ ...given, number: ProposalNumber.make(number) })
    const listed = [numbered(1, proposal), numbered(2, confirmed), numbered(3, proposal), numbered(4, rejected)]
    assert.deepStrictEqual(
      pendingFirst(listed).map(({ number }) => number as number),
      [3, 1, 4, 2]
    )
  })
})

describe("a deposit", () => {
  it.each([
    [100, 100, false],
    [101, 100, true],
    [101, null, false]
  ])("of %d with the limit %s needs two operators: %s", (centavos, limit, needs) => {
    assert.strictEqual(needsConfirmation(Amount.make(centavos), limit === null ? null : Amount.make(limit)), needs)
  })
})

describe("a correction", () => {
  const balance = { available: Centavos.make(500), held: Centavos.make(300) }

  // Signed centavos -> the available amount after the correction. Null: the available amount does not suffice.
  it.each([
    [1, 501],
    [-500, 0],
    [-501, null]
  ])("of %d changes only the available amount, which is never below zero", (centavos, available) => {
    const after = adjust(balance, centavos)
    assert.deepStrictEqual(
      after,
      available === null ? null : { available: Centavos.make(available), held: balance.held }
    )
  })

  it.each([
    ["1500", 150_000],
    ["-1500.50", -150_050],
    ["\u22125", -500],
    ["--5", null],
    ["-", null],
    ["-0", null],
    ["0.00", null],
    ["1.005", null],
    ["+5", null]
  ])("typed as %s is read as %s centavos", (typed, centavos) => {
    assert.strictEqual(Result.getOrNull(readAdjustment(typed)), centavos)
  })
})
