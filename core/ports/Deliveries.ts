import { Context, type DateTime, type Duration, type Effect, type Option, type Redacted, type Stream } from "effect"
import type { CompanyEvent, Sequence, WebhookId } from "../domain/Event.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { FrozenSlice, ListFilter, Page } from "../domain/Page.ts"
import type { AfterAttempt, Attempt, DeliveryState, EventType, WebhookSecret, WebhookUrl } from "../domain/Webhook.ts"

/** The due deliveries that a worker wants to claim. */
export interface DeliveryClaim {
  readonly now: DateTime.Utc
  readonly lease: Duration.Duration
  readonly limit: number
  /** Maximum number of deliveries that this process may send to one webhook at the same time. */
  readonly perWebhook: number
  /** Number of deliveries that this process is sending, by webhook. */
  readonly busy: ReadonlyMap<WebhookId, number>
}

/** A delivery that one worker has claimed: an event and its webhook. The claim ends with its lease. */
export interface ClaimedDelivery {
  readonly webhook: {
    readonly id: WebhookId
    readonly url: WebhookUrl
    /** The current secret and, for some time after a rotation, the previous secret. */
    readonly secrets: ReadonlyArray<Redacted.Redacted<WebhookSecret>>
    readonly failingSince: DateTime.Utc | null
  }
  readonly event: CompanyEvent
  /** Number of earlier attempts with a result, since the event was written or replayed. */
  readonly attempts: number
  /** Whether this is the first attempt of the event, and the event was not replayed. */
  readonly isFirst: boolean
  /** End of the lease. A later claim or a replay changes the stored lease, which shows that this claim is outdated. */
  readonly leasedUntil: DateTime.Utc
}

/** The result of an attempt. */
export interface DeliveryResult {
  readonly attempt: Attempt
  readonly after: AfterAttempt
  /** Whether this result disables the webhook: its endpoint answered 410 or has failed for too long. */
  readonly disables: boolean
  readonly at: DateTime.Utc
}

/** A delivery as the company sees it. */
export interface Delivery {
  readonly companyId: CompanyId
  readonly webhookId: WebhookId
  readonly sequence: Sequence
  readonly type: EventType
  readonly state: DeliveryState
  readonly attempts: number
  readonly httpStatus: number | null
  readonly error: string | null
  readonly duration_ms: number | null
  readonly createdAt: DateTime.Utc
  /** Null if no attempt is planned. */
  readonly nextAttempt: DateTime.Utc | null
}

/**
 * The events to send again: one event, or all events of a time span. The span includes events in the second of `until`,
 * because clients see the times of events in whole seconds.
 */
export type Replay =
  | { readonly sequence: Sequence }
  | { readonly since: DateTime.Utc; readonly until: DateTime.Utc | null; readonly onlyFailed: boolean }

/** The queue of deliveries. */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Claims due deliveries that no other worker is sending. */
    readonly claim: (claim: DeliveryClaim) => Effect.Effect<ReadonlyArray<ClaimedDelivery>>
    /**
     * Records an attempt. A success resets `failingSince` of the webhook. A result is ignored if the delivery was
     * claimed or replayed again after this claim, because the newer attempt decides. A result from an earlier URL of the
     * webhook changes only the delivery; after a 410 of that URL, the event is sent to the new one.
     *
     * @returns whether this result disabled the webhook.
     */
    readonly record: (claimed: ClaimedDelivery, result: DeliveryResult) => Effect.Effect<boolean>
    /**
     * Emits when this or another process has written events that have deliveries. Notifications are lost while the database
     * connection is interrupted, so the stream also emits after an interruption.
     */
    readonly arrivals: Stream.Stream<void>
    /**
     * Writes a test event for an active webhook. None if the webhook is not active, or if the company's events are off.
     */
    readonly test: (companyId: CompanyId, id: WebhookId, at: DateTime.Utc) => Effect.Effect<Option.Option<Sequence>>
    /** The deliveries of a webhook, newest first by the sequence of their events. */
    readonly list: (
      companyId: CompanyId,
      id: WebhookId,
      filter: Pick<ListFilter, "upTo"> & { readonly state?: DeliveryState | undefined },
      page: Page
    ) => Effect.Effect<FrozenSlice<Delivery>>
    /** Puts events into the queue of a webhook again. Returns the number of events. */
    readonly replay: (companyId: CompanyId, id: WebhookId, wanted: Replay, at: DateTime.Utc) => Effect.Effect<number>
  }
>()("saldo/core/Deliveries") {}

/** The deliveries of a webhook, as an operator sees them. */
export interface DeliveryReport {
  readonly counts: Readonly<Record<DeliveryState, number>>
  /** When the oldest due delivery became due. Null if none is due. */
  readonly dueSince: DateTime.Utc | null
  /** The newest deliveries with a failed last attempt, newest first. */
  readonly errors: ReadonlyArray<Delivery>
}

/** Summarizes the deliveries of a webhook. */
export class DeliveryReports extends Context.Service<
  DeliveryReports,
  {
    readonly read: (companyId: CompanyId, id: WebhookId, now: DateTime.Utc) => Effect.Effect<DeliveryReport>
    /** When the oldest due delivery of each webhook became due. A webhook without due deliveries is absent. */
    readonly dueSince: (
      webhooks: ReadonlyArray<Pick<Delivery, "companyId" | "webhookId">>,
      now: DateTime.Utc
    ) => Effect.Effect<ReadonlyMap<WebhookId, DateTime.Utc>>
  }
>()("saldo/core/DeliveryReports") {}
