import { Data, Duration } from "effect"
import type { Phone } from "./Person.ts"
import { nextAttempt } from "./Recovery.ts"

/** A text message. */
export interface SmsMessage {
  /** Id of the message. A gateway does not send the same id twice. */
  readonly id: string
  readonly to: Phone
  readonly text: string
}

/** A gateway's answer about a message. */
export type SmsAnswer = Data.TaggedEnum<{
  Sent: { readonly reference: string }
  /** Not sent. A retry may succeed. */
  NotSent: { readonly reason: string }
  /** Refused definitively. Do not retry. */
  Rejected: { readonly reason: string }
  /** Delivery unknown. Do not resend. */
  Unknown: { readonly reason: string }
}>
export const SmsAnswer = Data.taggedEnum<SmsAnswer>()

/** When an unsent message is tried next. The regular interval is two minutes. */
export const nextTry = nextAttempt(Duration.minutes(2))
