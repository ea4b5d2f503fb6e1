import { Data, Duration } from "effect"
import { nextAttempt } from "./NextAttempt.ts"
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

/** When a message that did not go is tried next; in the end every two minutes. */
export const nextTry = nextAttempt(Duration.minutes(2))
