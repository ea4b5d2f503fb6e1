import { DateTime, Result } from "effect"
import { describe, expect, it } from "vitest"
import { TransactionId } from "../../core/domain/Ids.ts"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { Finding, readRechargeToken, resolvable, verdictOn } from "../../core/domain/Resolution.ts"
import type { Order } from "../../core/domain/Sale.ts"
import type { ServiceType } from "../../core/domain/Service.ts"
import { intent } from "./support/Examples.ts"

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

describe("how an operator says that a sale ended", () => {
  // What was sold, what is said -> why not; null if it may be said.
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
  ] as const)("of %s: %j is amiss by %s", (type, finding, cause) => {
    const said = resolvable({ order: orderOf(type), status: "PENDING", proposal: null }, finding, later)
    expect(Result.isSuccess(said) ? null : said.failure.cause).toBe(cause)
  })

  it.each([
    [token, token],
    ["12345678901234567890", token],
    ["1234-5678-9012-3456-7890", token],
    ["1234 5678 9012 3456 789", null],
    ["1234 5678 9012 3456 78901", null],
    ["1234 5678 9012 3456 789O", null]
  ])("reads the token %j as %j", (typed, read) => expect(readRechargeToken(typed)).toBe(read))
})

describe("what two operators found", () => {
  const order = orderOf("electricity_prepaid")
  const own = { authCode: "SBX1", rechargeToken: "9999 8888 7777 6666 5555" }
  const written = { authCode: "OP-77", rechargeToken: token }

  // What the provider says, what they found -> what is delivered; null when nothing is.
  it.each([
    [StatusAnswer.Delivered({ delivery: own }), own],
    [StatusAnswer.Unknown(), written],
    [StatusAnswer.NotFound(), written]
  ])("is proven by the provider's own word, if it has one: %j", (said, delivery) => {
    const verdict = Result.getOrThrow(verdictOn(order, success({ token }), said))
    expect(verdict).toMatchObject({ _tag: "Confirm", delivery })
  })

  it.each([
    [StatusAnswer.Delivered({ delivery: own }), Finding.cases.Failed.make({})],
    [StatusAnswer.Refused({ refusal: "TRANSACTION_REJECTED" }), success({ token })]
  ])("is nothing against what the provider firmly says: %j", (said, finding) => {
    expect(Result.isFailure(verdictOn(order, finding, said))).toBe(true)
  })
})
