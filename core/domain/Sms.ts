import { Data, DateTime, Duration } from "effect"
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
  Sent: {
    /** The gateway's id of the message. */
    readonly reference: string
    /** Whether the gateway can be asked about the delivery of the message. */
    readonly traceable?: boolean
  }
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

/** A gateway's answer about the delivery of a message that it accepted. */
export type DeliveryAnswer = Data.TaggedEnum<{
  /** The message reached the phone. */
  Delivered: {}
  /** The message did not reach the phone and never will. */
  Failed: { readonly reason: string }
  /** Not decided yet, or no firm answer. */
  Open: {}
}>
export const DeliveryAnswer = Data.taggedEnum<DeliveryAnswer>()

/** When a message was stored, and when its code expires. */
interface MessageLife {
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

/**
 * When the gateway is asked next about the delivery of a message: on the schedule of unsent messages, and a last time
 * when the code expires. Null after that, because the owner then needs a new code anyway.
 */
export const nextDeliveryQuestion = ({ createdAt, expiresAt }: MessageLife, now: DateTime.Utc): DateTime.Utc | null =>
  DateTime.isLessThan(now, expiresAt) ? DateTime.min(nextTry(createdAt, now), expiresAt) : null
