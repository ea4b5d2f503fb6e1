import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { Sequence, WebhookId } from "../../../core/domain/Event.ts"
import type { SaleEvent } from "../../../core/domain/History.ts"
import { TransactionId } from "../../../core/domain/Ids.ts"
import { type Actor, OperatorId, type Role } from "../../../core/domain/Operator.ts"
import { Finding, type Proposal, type SaleToResolve } from "../../../core/domain/Resolution.ts"
import type { UnresolvedReversal } from "../../../core/domain/Reversal.ts"
import type { Order } from "../../../core/domain/Sale.ts"
import { actionsOn, type SaleAction } from "../../../core/domain/SaleActions.ts"
import type { Status } from "../../../core/domain/Status.ts"
import { intent } from "../../support/Examples.ts"

const createdAt = DateTime.makeUnsafe("2026-03-04T12:00:00.000Z")
const secondsLater = (seconds: number) => DateTime.add(createdAt, { seconds })
const hour = secondsLater(3_600)

const { amount, companyId, environment, identifier, product, reference, service, xid } = intent()
const order: Order = {
  ...{ amount, companyId, environment, identifier, product, reference, service, xid, createdAt },
  transactionId: TransactionId.make(31)
}

const actor = (name: string, role: Role = "supervisor"): Actor => ({
  ...{ id: OperatorId.make(1), name, role, via: "console", address: null }
})

const proposed = (finding: Finding, more: Partial<Proposal> = {}): Proposal => ({
  ...{ number: 1, finding, reversalId: null, reason: "Estado de cuenta", proposedBy: "Ana", proposedAt: hour },
  confirmation: null,
  ...more
})

const sale = (status: Status, more: Partial<SaleToResolve> = {}): SaleToResolve => ({
  ...{ order, status, unresolved: null, proposal: null },
  ...more
})

const reversal = { unresolved: { reversal: { id: 7, xid: "RV", createdAt, order } } as UnresolvedReversal }
const failed = Finding.cases.Failed.make({})
const stands = Finding.cases.Stands.make({})

const short = (action: SaleAction): string => {
  switch (action._tag) {
    case "Ask":
      return `ask ${action.about}`
    case "Propose":
      return `propose ${action.findings.join(" ")}`
    case "ProposeFrom":
      return `propose from ${DateTime.formatIso(action.at).slice(11, 16)}`
    case "Confirm":
      return `confirm ${action.proposal.number}`
    case "NotConfirm":
      return `not confirm: ${action.why}`
    case "ReplayEvents":
      return `replay ${action.events.map(({ sequence }) => sequence).join(" ")} to ${action.webhookId}`
    case "Nothing":
      return `nothing: ${action.why}`
  }
}

const actionsFor = (toResolve: SaleToResolve, who: Actor, now = hour, events: ReadonlyArray<SaleEvent> = []) =>
  actionsOn(toResolve, events, who, now).map(({ action }) => short(action))

describe("what can be done about a sale", () => {
  it.each([
    ["a settled sale", sale("SUCCESS"), hour, ["nothing: SUCCESS", "ask Settled"]],
    ["a failed sale", sale("FAILED"), hour, ["nothing: FAILED", "ask Settled"]],
    ["a reversed sale", sale("REVERSED"), hour, ["nothing: REVERSED"]],
    ["a sale with a call that may be running", sale("PROCESSING"), secondsLater(59), ["propose from 12:15"]],
    ["a sale with a call that has ended", sale("PROCESSING"), secondsLater(60), ["ask Sale", "propose from 12:15"]],
    ["a young pending sale", sale("PENDING"), secondsLater(10), ["ask Sale", "propose from 12:15"]],
    ["an old pending sale", sale("PENDING"), secondsLater(900), ["ask Sale", "propose Success Failed"]],
    ["a young reversal", sale("SUCCESS", reversal), secondsLater(30), ["propose from 12:15"]],
    ["an old reversal", sale("SUCCESS", reversal), hour, ["ask Reversal", "propose Reversed Stands"]],
    [
      "an open proposal of another operator",
      sale("PENDING", { proposal: proposed(failed) }),
      hour,
      ["confirm 1", "ask Sale", "propose Success Failed"]
    ],
    [
      "an open proposal of the operator",
      sale("PENDING", { proposal: proposed(failed, { proposedBy: "Luis" }) }),
      hour,
      ["not confirm: same_operator", "ask Sale", "propose Success Failed"]
    ],
    [
      "a proposal that was confirmed just now",
      sale("PENDING", { proposal: proposed(failed, { confirmation: { by: "Eva", at: secondsLater(3_590) } }) }),
      hour,
      ["not confirm: confirmed", "ask Sale"]
    ],
    [
      "a proposal that was confirmed but never settled",
      sale("PENDING", { proposal: proposed(failed, { confirmation: { by: "Eva", at: secondsLater(1_000) } }) }),
      hour,
      ["confirm 1", "ask Sale"]
    ],
    [
      "a proposal about the reversal",
      sale("SUCCESS", { ...reversal, proposal: proposed(stands, { reversalId: 7 }) }),
      hour,
      ["confirm 1", "ask Reversal", "propose Reversed Stands"]
    ],
    [
      "a proposal about an earlier reversal",
      sale("SUCCESS", { ...reversal, proposal: proposed(stands, { reversalId: 6, confirmation: null }) }),
      hour,
      ["ask Reversal", "propose Reversed Stands"]
    ],
    [
      "a confirmed proposal about the sale, when its reversal is open",
      sale("SUCCESS", { ...reversal, proposal: proposed(failed, { confirmation: { by: "Eva", at: hour } }) }),
      hour,
      ["ask Reversal", "propose Reversed Stands"]
    ],
    [
      "a settled sale with its old proposal",
      sale("FAILED", { proposal: proposed(failed) }),
      hour,
      ["nothing: FAILED", "ask Settled"]
    ]
  ] as const)("with %s", (_, toResolve, now, expected) => {
    assert.deepStrictEqual(actionsFor(toResolve, actor("Luis"), now), [...expected])
  })

  it("includes, for each webhook, that its failed events are sent again", () => {
    const event = (
      sequence: number,
      ...states: ReadonlyArray<SaleEvent["deliveries"][number]["state"]>
    ): SaleEvent => ({
      ...{ sequence: Sequence.make(sequence), type: "transaction.succeeded", at: hour },
      deliveries: states.map((state, index) => ({
        ...{ webhookId: WebhookId.make(index + 1), state, attempts: 9, httpStatus: 500, error: "http_500" }
      }))
    })
    const events = [event(4, "fallida", "entregada"), event(5, "fallida", "fallida"), event(6, "pendiente")]
    assert.deepStrictEqual(actionsFor(sale("REVERSED"), actor("Luis"), hour, events), [
      "nothing: REVERSED",
      "replay 4 5 to 1",
      "replay 5 to 2"
    ])
  })

  it.each([
    ["lector", []],
    ["cajero", []],
    ["supervisor", ["Confirm", "Ask", "Propose"]],
    ["admin", ["Confirm", "Ask", "Propose"]]
  ] as const)("is limited by the role %s to the actions %j", (role, allowed) => {
    const actions = actionsOn(sale("PENDING", { proposal: proposed(failed) }), [], actor("Luis", role), hour)
    assert.deepStrictEqual(
      actions.flatMap(({ action, allowed }) => (allowed ? [action._tag] : [])),
      [...allowed]
    )
  })
})
