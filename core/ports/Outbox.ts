import { Context, type DateTime, type Duration, type Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { CompanyId, InsuranceId } from "../domain/Ids.ts"
import type { SmsMessage } from "../domain/Sms.ts"
import type { AcceptedSms } from "./SmsGateway.ts"

/** An SMS that is staged: stored for sending, in the same transaction as the state change that it belongs to. */
export interface StagedSms {
  readonly message: SmsMessage
  /** After this time the message is useless and is not sent. */
  readonly expiresAt: DateTime.Utc
  /** Until this time only the process that staged the message may send it. */
  readonly leasedUntil: DateTime.Utc
  readonly at: DateTime.Utc
}

/** A staged message claimed by one sender until its lease ends. */
export interface ClaimedSms {
  readonly companyId: CompanyId
  readonly insuranceId: InsuranceId
  readonly environment: Environment
  readonly message: SmsMessage
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
  /** How often the message was claimed, including this claim. */
  readonly tries: number
  /** False when an earlier sender claimed the message and did not record a result. */
  readonly accounted: boolean
}

/** The result of sending a message. */
export type SmsResult =
  /** The gateway accepted the message. The insurance moves to `otp_enviado`. */
  | {
      readonly _tag: "Sent"
      readonly reference: string
      /** When Saldo first asks whether the message was delivered. Absent if the gateway does not report deliveries. */
      readonly askAt?: DateTime.Utc | undefined
    }
  /** The message was not sent and will not be retried. Its code does not count as sent. */
  | { readonly _tag: "Failed"; readonly reason: string }
  /** Delivery unknown. The message is not sent again. */
  | { readonly _tag: "Unknown"; readonly reason: string }
  /** The message was not sent and will be retried at `at`. */
  | { readonly _tag: "Later"; readonly at: DateTime.Utc; readonly reason: string }

/** An accepted message with unknown delivery, claimed by one process until the lease ends. */
export interface TracedSms extends AcceptedSms {
  readonly companyId: CompanyId
  readonly insuranceId: InsuranceId
  readonly environment: Environment
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

/** The result of a question about a delivery. */
export type DeliveryResult =
  | { readonly _tag: "Delivered" }
  /** The message did not reach the phone. It is listed as undelivered, and its code does not count as sent. */
  | { readonly _tag: "Failed"; readonly reason: string }
  /** The delivery is still open. The next question is due at `askAt`; null means that no further question follows. */
  | { readonly _tag: "Open"; readonly askAt: DateTime.Utc | null }

/** The parameters of a claim. */
export interface SmsClaim {
  readonly now: DateTime.Utc
  readonly lease: Duration.Duration
  readonly limit: number
}

/** An undelivered message as the operator sees it, without phone and text. */
export interface UndeliveredSms {
  readonly id: string
  readonly companyId: CompanyId
  readonly insuranceId: InsuranceId
  readonly status: "failed" | "unknown"
  readonly reason: string
  readonly createdAt: DateTime.Utc
}

/** Outgoing messages. Phone and text are encrypted, and deleted once the message has a final result. */
export class Outbox extends Context.Service<
  Outbox,
  {
    /** Claims due messages that no other process is sending. */
    readonly claim: (claim: SmsClaim) => Effect.Effect<ReadonlyArray<ClaimedSms>>
    /** Records the result of a message. A final result deletes phone and text. */
    readonly record: (
      sms: Pick<ClaimedSms, "companyId" | "insuranceId" | "message">,
      result: SmsResult,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    /** Claims accepted messages for which a question about the delivery is due. */
    readonly claimTraced: (claim: SmsClaim) => Effect.Effect<ReadonlyArray<TracedSms>>
    /** Records the result of a question about a delivery. */
    readonly recordDelivery: (sms: TracedSms, result: DeliveryResult) => Effect.Effect<void>
    /** The newest undelivered messages. */
    readonly undelivered: (limit: number) => Effect.Effect<ReadonlyArray<UndeliveredSms>>
  }
>()("saldo/core/Outbox") {}
