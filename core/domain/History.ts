import { Data, DateTime, Order as Ordering } from "effect"
import type { Entry } from "./Account.ts"
import type { AuditAction } from "./AuditAction.ts"
import type { Sequence, WebhookId } from "./Event.ts"
import { retention } from "./Idempotency.ts"
import type { CompanyId } from "./Ids.ts"
import type { Amount } from "./Money.ts"
import type { Outcome } from "./Sale.ts"
import type { ReversalStatus, Status } from "./Status.ts"
import type { Transaction } from "./Transaction.ts"
import type { DeliveryState, EventType } from "./Webhook.ts"

/** The delivery of an event to a webhook, as of now. */
export interface EventDelivery {
  readonly webhookId: WebhookId
  readonly state: DeliveryState
  readonly attempts: number
  /** HTTP status of the last attempt. Null if the endpoint did not answer, or if no attempt was made. */
  readonly httpStatus: number | null
  /** Why the last attempt failed. */
  readonly error: string | null
}

/** An event of a sale. */
export interface SaleEvent {
  readonly sequence: Sequence
  readonly type: EventType
  readonly at: DateTime.Utc
  readonly deliveries: ReadonlyArray<EventDelivery>
}

/** Everything that is stored about a sale. */
export interface History {
  readonly companyId: CompanyId
  readonly transaction: Transaction
  readonly key: string
  readonly refusal: string | null
  /** The response stored under the sale's key. Null when the key was freed or belongs to another sale. */
  readonly answer: {
    readonly outcome: Outcome["_tag"]
    readonly at: DateTime.Utc
    readonly settledAt: DateTime.Utc | null
  } | null
  readonly entries: ReadonlyArray<Entry>
  readonly reversals: ReadonlyArray<{
    readonly xid: string
    readonly status: ReversalStatus
    readonly begunAt: DateTime.Utc
    readonly endedAt: DateTime.Utc | null
  }>
  /**
   * Status questions from recovery and from operators to the provider, including questions that could not be sent.
   * Consecutive equal answers are one entry.
   */
  readonly questions: ReadonlyArray<{
    readonly about: "sale" | "reversal"
    readonly answer: string
    readonly times: number
    readonly firstAt: DateTime.Utc
    readonly lastAt: DateTime.Utc
  }>
  /** How often the response of the sale, or of a reversal, was replayed. */
  readonly replays: ReadonlyArray<{
    readonly about: "sale" | "reversal"
    readonly times: number
    readonly firstAt: DateTime.Utc
    readonly lastAt: DateTime.Utc
  }>
  /** The events of the sale that are still stored, each with its delivery to every webhook. */
  readonly events: ReadonlyArray<SaleEvent>
  readonly audited: ReadonlyArray<{
    readonly at: DateTime.Utc
    readonly action: string
    readonly details: Readonly<Record<string, unknown>>
  }>
}

/**
 * The source of an outcome. `call`: the call itself. `recovery`: recovery's question. `operator`: a proposal and its
 * confirmation by two operators. `question`: an operator's question to the provider.
 */
export type FoundBy = "call" | "recovery" | "operator" | "question"

/** An event in the life of a sale. */
export type HistoryEvent = Data.TaggedEnum<{
  Reserved: { readonly key: string; readonly amount: Amount }
  /**
   * The first response to the key. A retry with the key gets the same response until `repeatsUntil`, which is null
   * while the sale is unresolved.
   */
  Answered: { readonly outcome: Outcome["_tag"]; readonly by: FoundBy; readonly repeatsUntil: DateTime.Utc | null }
  /** The response was replayed `times` times: first at the time of this event, last at `until`. */
  Replayed: { readonly about: "sale" | "reversal"; readonly times: number; readonly until: DateTime.Utc }
  Asked: {
    readonly about: "sale" | "reversal"
    readonly answer: string
    readonly times: number
    readonly until: DateTime.Utc
  }
  /** The question to the provider could not be sent. */
  NotAsked: { readonly about: "sale" | "reversal"; readonly times: number; readonly until: DateTime.Utc }
  Settled: {
    readonly status: Status
    readonly by: FoundBy
    readonly authCode: string | null
    readonly refusal: string | null
  }
  Entered: { readonly entry: Entry }
  ReversalBegun: { readonly xid: string }
  ReversalEnded: { readonly xid: string; readonly status: ReversalStatus; readonly by: FoundBy }
  /** An event was written for the company's webhooks. */
  Reported: { readonly event: SaleEvent }
  Audited: { readonly action: string; readonly details: Readonly<Record<string, unknown>> }
}>
export const HistoryEvent = Data.taggedEnum<HistoryEvent>()

/** The parts of a sale's amount that are available, held and charged. Their sum is always the amount. */
export interface AmountParts {
  /** The part that the company may spend. */
  readonly available: number
  readonly held: number
  /** The part that was paid for the sale. */
  readonly charged: number
}

/** The amount of a sale before and after a step that moves it, in centavos. */
export interface Movement {
  readonly before: AmountParts
  readonly after: AmountParts
}

export interface Moment {
  readonly at: DateTime.Utc
  readonly event: HistoryEvent
  /** Null if the step moves no money. */
  readonly money: Movement | null
}

/** A moment without its movement of money, which is added later. */
type Happening = Omit<Moment, "money">

// Recovery asks about a sale only after the call that made the sale has timed out. An outcome written after the first
// question therefore does not come from the call.
const recoveryAskedBefore = ({ questions }: History, at: DateTime.Utc): boolean =>
  questions.some(({ about, firstAt }) => about === "sale" && DateTime.isLessThanOrEqualTo(firstAt, at))

// A question that was not sent gives recovery no information.
const answeredTo = ({ questions }: History): History["questions"] =>
  questions.filter(({ answer }) => answer !== "NotAsked")

/** Details of the audit events with the wanted action that record how the sale or a reversal was settled. */
const settledBy = ({ audited }: History, wanted: AuditAction) =>
  audited.flatMap(({ action, details }) => (action === wanted && details["won"] === true ? [details] : []))

/** The operators' action that settled the sale. Null if none did. */
const foundByHand = (history: History): FoundBy | null => {
  // A confirmation without `about` is a confirmation of a sale: older versions could not confirm reversals.
  if (settledBy(history, "resolution_confirmed").some(({ about }) => about !== "reversal")) return "operator"
  return settledBy(history, "provider_asked").some(({ about }) => about === "sale") ? "question" : null
}

const reversalFoundBy = (
  history: History,
  { begunAt, xid }: History["reversals"][number],
  endedAt: DateTime.Utc
): FoundBy => {
  const isAbout = (details: Readonly<Record<string, unknown>>) =>
    details["about"] === "reversal" && details["xid"] === xid
  if (settledBy(history, "resolution_confirmed").some(isAbout)) return "operator"
  if (settledBy(history, "provider_asked").some(isAbout)) return "question"
  const asked = answeredTo(history).some(
    ({ about, firstAt, lastAt }) =>
      about === "reversal" &&
      DateTime.isLessThanOrEqualTo(firstAt, endedAt) &&
      DateTime.isGreaterThanOrEqualTo(lastAt, begunAt)
  )
  return asked ? "recovery" : "call"
}

const answeredIn = (history: History): ReadonlyArray<Happening> => {
  const { answer } = history
  if (answer === null) return []
  const { at, outcome, settledAt } = answer
  const repeatsUntil = settledAt === null ? null : DateTime.addDuration(settledAt, retention)
  const byHand = foundByHand(history)
  const by = recoveryAskedBefore(history, at) ? (byHand === "question" ? byHand : "recovery") : "call"
  return [{ at, event: HistoryEvent.Answered({ outcome, by, repeatsUntil }) }]
}

const settledIn = (history: History): ReadonlyArray<Happening> => {
  const { refusal, transaction } = history
  const { authCode, processedAt: at, status } = transaction
  if (at === null) return []
  const settledAs = status === "REVERSED" ? "SUCCESS" : status
  const byRecovery = recoveryAskedBefore({ ...history, questions: answeredTo(history) }, at)
  const by = foundByHand(history) ?? (byRecovery ? "recovery" : "call")
  return [{ at, event: HistoryEvent.Settled({ status: settledAs, by, authCode, refusal }) }]
}

const enteredIn = ({ entries }: History, type: Entry["type"]): ReadonlyArray<Happening> =>
  entries.flatMap((entry) =>
    entry.type === type ? [{ at: entry.createdAt, event: HistoryEvent.Entered({ entry }) }] : []
  )

const auditedIn = ({ audited }: History, which: (action: string) => boolean): ReadonlyArray<Happening> =>
  audited.flatMap(({ action, at, details }) =>
    which(action) ? [{ at, event: HistoryEvent.Audited({ action, details }) }] : []
  )

const inOrder = Ordering.mapInput(DateTime.Order, ({ at }: Happening) => at)

/** Where the amount is after an event, or null if the event does not move it. */
const partsAfter = (event: HistoryEvent, amount: Amount): AmountParts | null => {
  const none: AmountParts = { available: 0, held: 0, charged: 0 }
  if (event._tag === "Reserved") return { ...none, held: amount }
  if (event._tag === "Settled") return event.status === "FAILED" ? { ...none, available: amount } : null
  if (event._tag !== "Entered") return null
  return event.entry.type === "sale" ? { ...none, charged: amount } : { ...none, available: amount }
}

/** Adds the movement of money to each moment. The amount's parts after one moment are the parts before the next. */
const withMoney = (happenings: ReadonlyArray<Happening>, amount: Amount): ReadonlyArray<Moment> => {
  let before: AmountParts = { available: amount, held: 0, charged: 0 }
  return happenings.map((happening) => {
    const after = partsAfter(happening.event, amount)
    const money = after === null ? null : { before, after }
    before = after ?? before
    return { ...happening, money }
  })
}

/**
 * The events of a sale in order of time. Events of the same instant are ordered by cause and effect. The timestamps
 * come from several machines, so an event dated before the reservation is placed after it.
 */
export const timelineOf = (history: History): ReadonlyArray<Moment> => {
  const { events, key, questions, replays, reversals, transaction } = history
  const later: ReadonlyArray<Happening> = [
    ...questions.map(({ about, answer, firstAt, lastAt: until, times }) => ({
      at: firstAt,
      event:
        answer === "NotAsked"
          ? HistoryEvent.NotAsked({ about, times, until })
          : HistoryEvent.Asked({ about, answer, times, until })
    })),
    ...auditedIn(history, (action) => action === "resolution_agreed"),
    ...settledIn(history),
    ...enteredIn(history, "sale"),
    ...reversals.map(({ begunAt, xid }) => ({ at: begunAt, event: HistoryEvent.ReversalBegun({ xid }) })),
    ...reversals.flatMap((reversal) => {
      const { endedAt: at, status, xid } = reversal
      if (at === null) return []
      return [{ at, event: HistoryEvent.ReversalEnded({ xid, status, by: reversalFoundBy(history, reversal, at) }) }]
    }),
    ...enteredIn(history, "reversal"),
    ...events.map((event) => ({ at: event.at, event: HistoryEvent.Reported({ event }) })),
    ...answeredIn(history),
    ...replays.map(({ about, firstAt, lastAt: until, times }) => ({
      at: firstAt,
      event: HistoryEvent.Replayed({ about, times, until })
    })),
    ...auditedIn(history, (action) => action !== "resolution_agreed")
  ]
  const reserved = HistoryEvent.Reserved({ key, amount: transaction.amount })
  const first = { at: transaction.createdAt, event: reserved }
  return withMoney([first, ...later.toSorted(inOrder)], transaction.amount)
}
