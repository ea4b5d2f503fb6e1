import { Data, DateTime, Duration, Result } from "effect"
import type { WebhookId } from "./Event.ts"
import type { FollowedStatus } from "./FollowUp.ts"
import type { SaleEvent } from "./History.ts"
import { inProgress_max } from "./Idempotency.ts"
import { type Actor, may, type OperatorAction } from "./Operator.ts"
import { NotAskable, type NotConfirmable } from "./OperatorErrors.ts"
import { orphanedAfter } from "./Recovery.ts"
import { confirmable, Finding, isSettling, type Proposal, resolvable, type SaleToResolve } from "./Resolution.ts"
import type { UnresolvedReversal } from "./Reversal.ts"
import type { Order } from "./Sale.ts"
import { isUnresolved } from "./Status.ts"

/** The subject of a question that an operator may send to the provider now. */
export type Askable = Data.TaggedEnum<{
  /** The outcome of the sale is unknown. A firm answer settles it. */
  Sale: { readonly order: Order }
  /** The outcome of the sale's reversal is unknown. A firm answer settles it. */
  Reversal: { readonly unresolved: UnresolvedReversal }
  /** The sale is settled. An answer that contradicts it raises an alert and moves no money. */
  Settled: { readonly order: Order; readonly status: FollowedStatus }
}>
export const Askable = Data.taggedEnum<Askable>()

const isRunning = (createdAt: DateTime.Utc, now: DateTime.Utc): boolean =>
  Duration.isLessThan(DateTime.distance(createdAt, now), orphanedAfter)

/**
 * Decides the subject of an operator's question to the provider. Refuses the question while the call of the
 * sale or reversal may be running, because the provider may not have received the call yet.
 */
export const askable = (
  { order, status, unresolved }: SaleToResolve,
  now: DateTime.Utc
): Result.Result<Askable, NotAskable> => {
  const fail = (why: NotAskable["why"]) => Result.fail(new NotAskable({ transactionId: order.transactionId, why }))
  if (unresolved !== null)
    return isRunning(unresolved.reversal.createdAt, now)
      ? fail("young")
      : Result.succeed(Askable.Reversal({ unresolved }))
  if (status === "REVERSED") return fail("reversed")
  if (status === "SUCCESS" || status === "FAILED") return Result.succeed(Askable.Settled({ order, status }))
  return status === "PROCESSING" && isRunning(order.createdAt, now)
    ? fail("young")
    : Result.succeed(Askable.Sale({ order }))
}

/** An action on a sale, or the reason why an expected action is not possible. */
export type SaleAction = Data.TaggedEnum<{
  /** Ask the provider now. `Settled`: the answer changes nothing. */
  Ask: { readonly about: Askable["_tag"] }
  /** Propose one of these findings. Another operator must confirm it. */
  Propose: { readonly findings: ReadonlyArray<Finding["_tag"]> }
  /** The call or recovery may still settle. A finding may be proposed from this time. */
  ProposeFrom: { readonly at: DateTime.Utc }
  /** Confirm this proposal of another operator. */
  Confirm: { readonly proposal: Proposal }
  /** This operator may not confirm the proposal now. */
  NotConfirm: { readonly proposal: Proposal; readonly why: NotConfirmable["why"] }
  /** Send the events to this webhook again, because their delivery failed. */
  ReplayEvents: { readonly webhookId: WebhookId; readonly events: ReadonlyArray<SaleEvent> }
  /** The sale is settled, and nothing is left to do about its money. */
  Nothing: { readonly why: "SUCCESS" | "FAILED" | "REVERSED" }
}>
export const SaleAction = Data.taggedEnum<SaleAction>()

/** The kind of action that the operator's role must allow. Null: the role does not matter, because nothing is changed. */
const needs: Readonly<Record<SaleAction["_tag"], OperatorAction | null>> = {
  Ask: "propose",
  Propose: "propose",
  ProposeFrom: null,
  Confirm: "confirm",
  NotConfirm: null,
  ReplayEvents: "webhook",
  Nothing: null
}

const proposalsOn = (toResolve: SaleToResolve, now: DateTime.Utc): ReadonlyArray<SaleAction> => {
  const { order, proposal, unresolved } = toResolve
  const [first, findings, createdAt] =
    unresolved === null
      ? ([Finding.cases.Failed.make({}), ["Success", "Failed"], order.createdAt] as const)
      : ([Finding.cases.Stands.make({}), ["Reversed", "Stands"], unresolved.reversal.createdAt] as const)
  // A confirmed proposal is about to settle the operation, or may be confirmed again. So no new proposal is offered.
  const isConfirmed = proposal?.confirmation != null && proposal.reversalId === (unresolved?.reversal.id ?? null)
  if (isConfirmed) return []
  return Result.isSuccess(resolvable(toResolve, first, now))
    ? [SaleAction.Propose({ findings })]
    : [SaleAction.ProposeFrom({ at: DateTime.addDuration(createdAt, inProgress_max) })]
}

const confirmationsOn = (toResolve: SaleToResolve, actor: Actor, now: DateTime.Utc): ReadonlyArray<SaleAction> => {
  const { proposal, unresolved } = toResolve
  // A proposal is outdated if it is not about the operation that is unresolved now: the sale, or the present reversal.
  if (proposal === null || proposal.reversalId !== (unresolved?.reversal.id ?? null)) return []
  if (isSettling(proposal, now)) return [SaleAction.NotConfirm({ proposal, why: "confirmed" })]
  return [
    Result.match(confirmable(toResolve, proposal.number, actor), {
      onSuccess: () => SaleAction.Confirm({ proposal }),
      onFailure: ({ why }) => SaleAction.NotConfirm({ proposal, why })
    })
  ]
}

const replaysOf = (events: ReadonlyArray<SaleEvent>): ReadonlyArray<SaleAction> => {
  const failed = Map.groupBy(
    events.flatMap((event) =>
      event.deliveries.flatMap(({ state, webhookId }) => (state === "fallida" ? [{ event, webhookId }] : []))
    ),
    ({ webhookId }) => webhookId
  )
  return [...failed].map(([webhookId, each]) =>
    SaleAction.ReplayEvents({ webhookId, events: each.map(({ event }) => event) })
  )
}

/**
 * The possible actions on a sale, in the order in which an operator should consider them. `allowed`: whether
 * this operator's role may take the action. The workflows check each rule again.
 */
export const actionsOn = (
  toResolve: SaleToResolve,
  events: ReadonlyArray<SaleEvent>,
  actor: Actor,
  now: DateTime.Utc
): ReadonlyArray<{ readonly action: SaleAction; readonly allowed: boolean }> => {
  const { status, unresolved } = toResolve
  const isOpen = isUnresolved({ status }) || unresolved !== null
  const asks = Result.match(askable(toResolve, now), {
    onSuccess: ({ _tag: about }) => [SaleAction.Ask({ about })],
    onFailure: () => []
  })
  const settled = status === "SUCCESS" || status === "FAILED" || status === "REVERSED" ? status : null
  const actions: ReadonlyArray<SaleAction> = [
    ...(isOpen || settled === null ? [] : [SaleAction.Nothing({ why: settled })]),
    ...(isOpen ? confirmationsOn(toResolve, actor, now) : []),
    ...asks,
    ...(isOpen ? proposalsOn(toResolve, now) : []),
    ...replaysOf(events)
  ]
  return actions.map((action) => {
    const needed = needs[action._tag]
    return { action, allowed: needed === null || may(actor.role, needed) }
  })
}
