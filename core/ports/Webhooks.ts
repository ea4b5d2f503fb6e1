import { Context, type DateTime, type Effect, type Option, type Redacted } from "effect"
import type { WebhookId } from "../domain/Event.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { EventType, WebhookSecret, WebhookUrl } from "../domain/Webhook.ts"

/** Whether a webhook receives events: the company may pause it, and the service or the operator may disable it. */
export type WebhookState = "activo" | "pausado" | "desactivado"

/** An endpoint of a company that receives events. */
export interface Webhook {
  readonly companyId: CompanyId
  readonly id: WebhookId
  readonly url: WebhookUrl
  /** The types that the webhook receives. Empty for all types. */
  readonly eventTypes: ReadonlyArray<EventType>
  readonly description: string
  readonly state: WebhookState
  /** First failed attempt after the last delivered event. */
  readonly failingSince: DateTime.Utc | null
  /** After a rotation, the previous secret also signs until this time. */
  readonly previousUntil: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
}

/** The parts of a webhook that its company chooses. */
export type WebhookChoice = Pick<Webhook, "url" | "eventTypes" | "description">

/** The parts of a webhook to change. Undefined parts do not change. */
export type WebhookChanges = {
  readonly [Part in keyof WebhookChoice | "state"]?: Webhook[Part] | undefined
}

/** Stores webhooks. Secrets are encrypted. */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    /**
     * Adds a webhook and turns the company's events on. None if the company already has the maximum number of webhooks.
     */
    readonly add: (
      companyId: CompanyId,
      choice: WebhookChoice,
      secret: Redacted.Redacted<WebhookSecret>,
      at: DateTime.Utc
    ) => Effect.Effect<Option.Option<Webhook>>
    /** The webhooks of a company, or of all companies, in the order of their ids. */
    readonly list: (companyId?: CompanyId) => Effect.Effect<ReadonlyArray<Webhook>>
    readonly find: (companyId: CompanyId, id: WebhookId) => Effect.Effect<Option.Option<Webhook>>
    /** Changes the given parts. Activating a webhook also resets `failingSince`. None if there is no such webhook. */
    readonly change: (
      companyId: CompanyId,
      id: WebhookId,
      changes: WebhookChanges
    ) => Effect.Effect<Option.Option<Webhook>>
    /** Deletes a webhook and its deliveries. False if there is no such webhook. */
    readonly remove: (companyId: CompanyId, id: WebhookId) => Effect.Effect<boolean>
    /** Replaces the secret. The previous secret signs too until `previousUntil`. False if there is no such webhook. */
    readonly rotate: (
      companyId: CompanyId,
      id: WebhookId,
      secret: Redacted.Redacted<WebhookSecret>,
      previousUntil: DateTime.Utc
    ) => Effect.Effect<boolean>
  }
>()("saldo/core/Webhooks") {}
