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
    /** Whether Saldo can ask the gateway later whether this message was delivered. */
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

/** When the next attempt of an unsent message is due. The regular interval is two minutes. */
export const nextTry = nextAttempt(Duration.minutes(2))

/** A gateway's answer about the delivery of a message that it accepted. */
export type DeliveryAnswer = Data.TaggedEnum<{
  /** The message reached the phone. */
  Delivered: {}
  /** The message did not reach the phone and never will. */
  Failed: { readonly reason: string }
  /** The delivery is not decided yet, or the gateway gave no firm answer. */
  Open: {}
}>
export const DeliveryAnswer = Data.taggedEnum<DeliveryAnswer>()

/** The times at which a message was stored and at which its code expires. */
interface MessageLife {
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

/**
 * When Saldo next asks the gateway whether a message was delivered. The schedule is the same as for unsent messages, with
 * a last question when the code expires. Null after the expiry, because the phone's owner then needs a new code anyway.
 */
export const nextDeliveryQuestion = ({ createdAt, expiresAt }: MessageLife, now: DateTime.Utc): DateTime.Utc | null =>
  DateTime.isLessThan(now, expiresAt) ? DateTime.min(nextTry(createdAt, now), expiresAt) : null
