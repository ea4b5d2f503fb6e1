import { DateTime, Result } from "effect"
import { describe, expect, it } from "vitest"
import { TransactionId } from "../../../core/domain/Ids.ts"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import {
  confirmable,
  Finding,
  isSettling,
  type Proposal,
  resolvable,
  reversalVerdictOn,
  type SaleToResolve,
  verdictOn
} from "../../../core/domain/Resolution.ts"
import { ReversalAnswer, type UnresolvedReversal } from "../../../core/domain/Reversal.ts"
import type { Order } from "../../../core/domain/Sale.ts"
import type { ServiceType } from "../../../core/domain/Service.ts"
import type { Status } from "../../../core/domain/Status.ts"
import { intent } from "../../support/Examples.ts"
import { actorNamed } from "../../support/OperatorAccounts.ts"

const createdAt = DateTime.makeUnsafe("2026-03-04T12:00:00.000Z")
const later = DateTime.add(createdAt, { minutes: 15 })

const orderOf = (type: ServiceType): Order => {
  const { amount, companyId, environment, identifier, product, reference, service, xid } = intent()
  const transactionId = TransactionId.make(31)
  const sold = { service: { ...service, type }, identifier, amount, product, reference }
  return { ...sold, companyId, transactionId, environment, xid, createdAt }
}

const token = "1234 5678 9012 3456 7890"
const days = { from: "2026-03-04", until: "2027-03-03" }
const success = (parts: { readonly token?: string; readonly days?: typeof days } = {}) =>
  Finding.cases.Success.make({ authCode: "OP-77", rechargeToken: parts.token ?? null, validity: parts.days ?? null })

describe("an operator's finding about a sale", () => {
  // The service, the finding -> the field that is wrong, or null.
  it.each([
    ["mobile_recharge", success(), null],
    ["mobile_recharge", success({ token }), "token"],
    ["mobile_recharge", success({ days }), "validity"],
    ["electricity_prepaid", success({ token }), null],
    ["electricity_prepaid", success(), "no_token"],
    ["electricity_prepaid", Finding.cases.Failed.make({}), null],
    ["insurance", success({ days }), null],
    ["insurance", success(), "no_validity"],
    ["insurance", success({ days: { from: days.from, until: days.from } }), null],
    ["insurance", success({ days: { from: days.until, until: days.from } }), "ends_before"],
    ["insurance", Finding.cases.Failed.make({}), null]
  ] as const)("of the type %s: the finding %j has the fault %s (null: none)", (type, finding, why) => {
    const said = resolvable(
      { order: orderOf(type), status: "PENDING", unresolved: null, proposal: null },
      finding,
      later
    )
    expect(Result.isSuccess(said) ? null : said.failure.why).toBe(why)
  })
})

describe("a confirmed finding", () => {
  const order = orderOf("electricity_prepaid")
  const own = { authCode: "SBX1", rechargeToken: "9999 8888 7777 6666 5555" }
  const written = { authCode: "OP-77", rechargeToken: token }

  // The provider's answer -> the proof of delivery that is recorded.
  it.each([
    [StatusAnswer.Delivered({ delivery: own }), own],
    [StatusAnswer.Unknown(), written],
    [StatusAnswer.NotFound(), written]
  ])("uses the provider's own proof of delivery if the provider gave one: %j", (said, delivery) => {
    const verdict = Result.getOrThrow(verdictOn(order, success({ token }), said))
    expect(verdict).toMatchObject({ _tag: "Confirm", delivery })
  })

  it.each([
    [StatusAnswer.Delivered({ delivery: own }), Finding.cases.Failed.make({})],
    [StatusAnswer.Refused({ refusal: "TRANSACTION_REJECTED" }), success({ token })]
  ])("is overruled by a firm answer of the provider: %j", (said, finding) => {
    expect(Result.isFailure(verdictOn(order, finding, said))).toBe(true)
  })
})

const reversed = Finding.cases.Reversed.make({})
const stands = Finding.cases.Stands.make({})
const failed = Finding.cases.Failed.make({})

/**
 * A top-up in this status. `reversal` contains the id of its unresolved reversal and the age in minutes; null if it has
 * no reversal.
 */
const toResolveAt = (status: Status, reversal: readonly [id: number, minutes: number] | null): SaleToResolve => {
  const order = orderOf("mobile_recharge")
  const { amount, identifier, service, transactionId: id, xid } = order
  const ended = { authCode: "A1", rechargeToken: null, terminalId: null, processedAt: createdAt, reversal: null }
  const transaction = { id, xid, status, service, identifier, amount, createdAt, ...ended }
  const unresolved = (of: readonly [number, number]): UnresolvedReversal => ({
    reversal: { id: of[0], xid: `RV-${of[0]}`, createdAt: DateTime.subtract(later, { minutes: of[1] }), order },
    transaction
  })
  return { order, status, unresolved: reversal === null ? null : unresolved(reversal), proposal: null }
}

const proposalOf = (reversalId: number | null, confirmation: Proposal["confirmation"] = null): Proposal => ({
  number: 2,
  finding: reversalId === null ? failed : reversed,
  reversalId,
  reason: "a statement",
  proposedBy: "turno-1",
  proposedAt: createdAt,
  confirmation
})

describe("a resolution by an operator", () => {
  // Status of the sale, the sale's unresolved reversal with the age of the reversal, the finding -> the reason of the
  // refusal, or null.
  it.each([
    ["PENDING", null, failed, null],
    ["PENDING", null, reversed, "unsettled"],
    ["PROCESSING", null, stands, "unsettled"],
    ["SUCCESS", null, failed, "settled"],
    ["SUCCESS", null, stands, "no_reversal"],
    ["FAILED", null, reversed, "no_reversal"],
    ["REVERSED", null, reversed, "no_reversal"],
    ["SUCCESS", [4, 15], failed, "reversal"],
    ["SUCCESS", [4, 15], success(), "reversal"],
    ["SUCCESS", [4, 15], reversed, null],
    ["SUCCESS", [4, 15], stands, null],
    ["SUCCESS", [4, 14], reversed, "young_reversal"]
  ] as const)(
    "of a sale in %s with the reversal %j and the finding %j is refused for the reason %s (null: allowed)",
    (status, reversal, finding, why) => {
      const said = resolvable(toResolveAt(status, reversal), finding, later)
      expect(Result.isSuccess(said) ? null : said.failure.why).toBe(why)
    }
  )

  // The proposal's reversal, the confirmed number, the operator -> the reason of the refusal, or null.
  it.each([
    [null, 2, "turno-2", null],
    [4, 2, "turno-2", null],
    [4, 1, "turno-2", "changed"],
    [4, 2, "turno-1", "same_operator"],
    [3, 2, "turno-2", "outdated"]
  ] as const)(
    "by a proposal about reversal %j, confirmed as number %i by %s during reversal 4, is refused for the reason %s (null: allowed)",
    (reversalId, number, name, why) => {
      const toResolve = { ...toResolveAt("SUCCESS", [4, 15]), proposal: proposalOf(reversalId) }
      const confirmed = confirmable(toResolve, number, actorNamed(name))
      expect(Result.isSuccess(confirmed) ? null : confirmed.failure.why).toBe(why)
    }
  )
})

describe("a proposal", () => {
  it("cannot be confirmed by an operator without an account, such as the command line's `local`", () => {
    const toResolve = { ...toResolveAt("SUCCESS", [4, 15]), proposal: proposalOf(4) }
    const confirmed = confirmable(toResolve, 2, { id: null, name: "local" })
    expect(Result.isSuccess(confirmed) ? null : confirmed.failure.why).toBe("no_account")
  })
})

describe("an earlier confirmation of a proposal", () => {
  // The time since the confirmation -> whether the process that confirmed it may still be settling the sale.
  it.each([
    [{ seconds: 0 }, true],
    [{ seconds: 59 }, true],
    [{ seconds: 60 }, false],
    [{ seconds: -59 }, true],
    [{ seconds: -60 }, false]
  ] as const)("that is %j old blocks another confirmation: %s", (age, blocks) => {
    expect(isSettling(proposalOf(null, { by: "turno-2", at: later }), DateTime.add(later, age))).toBe(blocks)
  })

  it("that does not exist blocks none", () => {
    expect(isSettling(proposalOf(null), later)).toBe(false)
  })
})

describe("a confirmed finding about a reversal", () => {
  // The finding, the provider's answer -> the verdict, or null when they contradict each other.
  it.each([
    [reversed, ReversalAnswer.Confirmed(), "Confirm"],
    [reversed, ReversalAnswer.Unknown(), "Confirm"],
    [reversed, ReversalAnswer.NotFound(), "Confirm"],
    [reversed, ReversalAnswer.NotSent(), "Confirm"],
    [reversed, ReversalAnswer.Denied(), null],
    [stands, ReversalAnswer.Denied(), "Deny"],
    [stands, ReversalAnswer.Unknown(), "Deny"],
    [stands, ReversalAnswer.NotFound(), "Deny"],
    [stands, ReversalAnswer.Confirmed(), null]
  ] as const)("%j with the provider's answer %j gives %s", (finding, said, wanted) => {
    const { unresolved } = toResolveAt("SUCCESS", [4, 15])
    const verdict = reversalVerdictOn(unresolved as UnresolvedReversal, finding, said)
    expect(Result.isSuccess(verdict) ? verdict.success._tag : null).toBe(wanted)
  })
})
