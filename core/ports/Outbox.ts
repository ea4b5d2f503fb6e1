import { Context, type DateTime, type Duration, type Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { CompanyId, InsuranceId } from "../domain/Ids.ts"
import type { SmsMessage } from "../domain/Sms.ts"

/** A message as it is staged, in the transaction of the state that it belongs to. */
export interface StagedSms {
  readonly message: SmsMessage
  /** When it has lost its point. */
  readonly expiresAt: DateTime.Utc
  /** Whoever staged it sends it; when this has passed, it did not, and another may. */
  readonly leasedUntil: DateTime.Utc
  readonly at: DateTime.Utc
}

/** A staged message that belongs to one sender for as long as the lease lasts. */
export interface ClaimedSms {
  readonly companyId: CompanyId
  readonly insuranceId: InsuranceId
  readonly environment: Environment
  readonly message: SmsMessage
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
  /** How often it has been taken to be sent, this time included. */
  readonly tries: number
  /** False when an earlier sender took it and never said what became of it. */
  readonly accounted: boolean
}

/** What became of a message. */
export type SmsResult =
  /** It is the gateway's now, and the insurance goes on to `otp_enviado`. */
  | { readonly _tag: "Sent"; readonly reference: string }
  /** It did not go, and never will. */
  | { readonly _tag: "Failed"; readonly reason: string }
  /** It may have gone; it is not sent again. */
  | { readonly _tag: "Unknown"; readonly reason: string }
  /** It did not go, and is tried again. */
  | { readonly _tag: "Later"; readonly at: DateTime.Utc; readonly reason: string }

/** A message that did not arrive, as the operator sees it: without phone and text. */
export interface UndeliveredSms {
  readonly id: string
  readonly companyId: CompanyId
  readonly insuranceId: InsuranceId
  readonly status: "failed" | "unknown"
  readonly reason: string
  readonly createdAt: DateTime.Utc
}

/** Messages on their way out, kept encrypted and only until they are sent. */
export class Outbox extends Context.Service<
  Outbox,
  {
    /** Takes messages that are due and that nobody else is sending. */
    readonly claim: (claim: {
      readonly now: DateTime.Utc
      readonly lease: Duration.Duration
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<ClaimedSms>>
    /** Says what became of a message. Once it is settled, phone and text are forgotten. */
    readonly record: (
      sms: Pick<ClaimedSms, "companyId" | "insuranceId" | "message">,
      result: SmsResult,
      at: DateTime.Utc
    ) => Effect.Effect<void>
    /** The newest messages that did not arrive. */
    readonly undelivered: (limit: number) => Effect.Effect<ReadonlyArray<UndeliveredSms>>
  }
>()("saldo/core/Outbox") {}
