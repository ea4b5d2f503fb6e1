import { Data, DateTime, Order as Ordering } from "effect"
import type { Entry } from "./Entry.ts"
import { retention } from "./Idempotency.ts"
import type { CompanyId } from "./Ids.ts"
import type { Amount } from "./Money.ts"
import type { ReversalStatus } from "./Reversal.ts"
import type { Outcome } from "./Sale.ts"
import type { Status } from "./Status.ts"
import type { Transaction } from "./Transaction.ts"

/** All that was kept of a sale. */
export interface History {
  readonly companyId: CompanyId
  readonly transaction: Transaction
  readonly key: string
  readonly refusal: string | null
  /** What its key says; null once the key is free, or names another sale. */
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
  /** What recovery asked, or could not ask; alike answers in a row are one. */
  readonly questions: ReadonlyArray<{
    readonly about: "sale" | "reversal"
    readonly answer: string
    readonly times: number
    readonly firstAt: DateTime.Utc
    readonly lastAt: DateTime.Utc
  }>
  readonly audited: ReadonlyArray<{
    readonly at: DateTime.Utc
    readonly action: string
    readonly details: Readonly<Record<string, unknown>>
  }>
}

/** Who found out how a sale or a reversal ended: the call that made it, recovery afterwards, or two operators. */
export type FoundBy = "call" | "recovery" | "operator"

/** Something that happened to a sale. */
export type Happening = Data.TaggedEnum<{
  Reserved: { readonly key: string; readonly amount: Amount }
  /** The first answer under its key; a repeat hears the same until then, or for as long as it is unresolved. */
  Answered: { readonly outcome: Outcome["_tag"]; readonly by: FoundBy; readonly repeatsUntil: DateTime.Utc | null }
  Asked: {
    readonly about: "sale" | "reversal"
    readonly answer: string
    readonly times: number
    readonly until: DateTime.Utc
  }
  /** Recovery wanted to ask, and nobody took the question. */
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
  Audited: { readonly action: string; readonly details: Readonly<Record<string, unknown>> }
}>
export const Happening = Data.taggedEnum<Happening>()

export interface Moment {
  readonly at: DateTime.Utc
  readonly happening: Happening
}

// Recovery asks only once the call must be over, so whatever was found out after a question was not found by the call.
const askedBefore = ({ questions }: History, at: DateTime.Utc): boolean =>
  questions.some(
    ({ about, answer, firstAt }) =>
      about === "sale" && answer !== "NotAsked" && DateTime.isLessThanOrEqualTo(firstAt, at)
  )

const confirmedIn = ({ audited }: History) =>
  audited.flatMap(({ action, details }) =>
    action === "resolution_confirmed" && details["won"] === true ? [details] : []
  )

// A confirmation that does not say what it is about is as old as when only sales had such.
const wasConfirmed = (history: History): boolean => confirmedIn(history).some(({ about }) => about !== "reversal")

const reversalFoundBy = (history: History, { begunAt, endedAt, xid }: History["reversals"][number]): FoundBy => {
  if (confirmedIn(history).some((details) => details["about"] === "reversal" && details["xid"] === xid))
    return "operator"
  const until = endedAt ?? begunAt
  const isOfIt = (about: string, firstAt: DateTime.Utc, lastAt: DateTime.Utc) =>
    about === "reversal" &&
    DateTime.isLessThanOrEqualTo(firstAt, until) &&
    DateTime.isGreaterThanOrEqualTo(lastAt, begunAt)
  return history.questions.some(
    ({ about, answer, firstAt, lastAt }) => answer !== "NotAsked" && isOfIt(about, firstAt, lastAt)
  )
    ? "recovery"
    : "call"
}

const answeredIn = (history: History): ReadonlyArray<Moment> => {
  const { answer } = history
  if (answer === null) return []
  const { at, outcome, settledAt } = answer
  const repeatsUntil = settledAt === null ? null : DateTime.addDuration(settledAt, retention)
  const by = askedBefore(history, at) ? "recovery" : "call"
  return [{ at, happening: Happening.Answered({ outcome, by, repeatsUntil }) }]
}

const settledIn = (history: History): ReadonlyArray<Moment> => {
  const { refusal, transaction } = history
  const { authCode, processedAt: at, status } = transaction
  if (at === null) return []
  const settledAs = status === "REVERSED" ? "SUCCESS" : status
  const by = wasConfirmed(history) ? "operator" : askedBefore(history, at) ? "recovery" : "call"
  return [{ at, happening: Happening.Settled({ status: settledAs, by, authCode, refusal }) }]
}

const enteredIn = ({ entries }: History, type: Entry["type"]): ReadonlyArray<Moment> =>
  entries.flatMap((entry) =>
    entry.type === type ? [{ at: entry.createdAt, happening: Happening.Entered({ entry }) }] : []
  )

const inOrder = Ordering.mapInput(DateTime.Order, ({ at }: Moment) => at)

/**
 * What happened to a sale, first things first; of what happened at one instant, what led to what. Clocks of several
 * machines are in it, but nothing can have come before the reservation.
 */
export const timelineOf = (history: History): ReadonlyArray<Moment> => {
  const { audited, key, questions, reversals, transaction } = history
  const later: ReadonlyArray<Moment> = [
    ...questions.map(({ about, answer, firstAt, lastAt: until, times }) => ({
      at: firstAt,
      happening:
        answer === "NotAsked"
          ? Happening.NotAsked({ about, times, until })
          : Happening.Asked({ about, answer, times, until })
    })),
    ...settledIn(history),
    ...enteredIn(history, "sale"),
    ...reversals.map(({ begunAt, xid }) => ({ at: begunAt, happening: Happening.ReversalBegun({ xid }) })),
    ...reversals.flatMap((reversal) => {
      const { endedAt: at, status, xid } = reversal
      const by = reversalFoundBy(history, reversal)
      return at === null ? [] : [{ at, happening: Happening.ReversalEnded({ xid, status, by }) }]
    }),
    ...enteredIn(history, "reversal"),
    ...answeredIn(history),
    ...audited.map(({ action, at, details }) => ({ at, happening: Happening.Audited({ action, details }) }))
  ]
  const reserved = Happening.Reserved({ key, amount: transaction.amount })
  return [{ at: transaction.createdAt, happening: reserved }, ...later.toSorted(inOrder)]
}
