import { Data, DateTime, Duration } from "effect"
import type { Phone } from "./Person.ts"

/** A text message. */
export interface SmsMessage {
  /** A name of its own: a gateway that knows it already does not send it again. */
  readonly id: string
  readonly to: Phone
  readonly text: string
}

/** What a gateway said of a message. */
export type SmsAnswer = Data.TaggedEnum<{
  Sent: { readonly reference: string }
  /** It did not go; it may later. */
  NotSent: { readonly reason: string }
  /** It never will. */
  Rejected: { readonly reason: string }
  /** It may have gone. */
  Unknown: { readonly reason: string }
}>
export const SmsAnswer = Data.taggedEnum<SmsAnswer>()

/** The ages at which a message that did not go is tried again; afterwards every two minutes. */
const triedAt = [5, 15, 30, 60].map(Duration.seconds)
const triedEvery = Duration.minutes(2)

/** When a message that did not go is tried next. */
export const nextTry = (createdAt: DateTime.Utc, now: DateTime.Utc): DateTime.Utc => {
  const age = DateTime.distance(createdAt, now)
  const next = triedAt.find((mark) => Duration.isGreaterThan(mark, age))
  return next === undefined ? DateTime.addDuration(now, triedEvery) : DateTime.addDuration(createdAt, next)
}
