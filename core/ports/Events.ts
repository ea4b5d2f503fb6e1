import { Context, type DateTime, type Effect } from "effect"
import type { CompanyEvent, Sequence } from "../domain/Event.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { EventType } from "../domain/Webhook.ts"

/** The events of a company that a reader wants. */
export interface EventsWanted {
  /** Only events after this one. */
  readonly after: Sequence
  readonly type?: EventType | undefined
  readonly limit: number
}

/**
 * Reads the events of companies. The ledger writes an event in the same transaction as the change that the event
 * reports.
 */
export class Events extends Context.Service<
  Events,
  {
    /** The events of a company, oldest first. */
    readonly list: (companyId: CompanyId, wanted: EventsWanted) => Effect.Effect<ReadonlyArray<CompanyEvent>>
    /** Which of the given companies have events turned on. */
    readonly turnedOn: (companies: ReadonlyArray<CompanyId>) => Effect.Effect<ReadonlySet<CompanyId>>
    /** Turns the events of a company on or off. */
    readonly turn: (companyId: CompanyId, on: boolean, at: DateTime.Utc) => Effect.Effect<void>
    /**
     * Deletes old events and deliveries, at most `limit` of them in each of its transactions.
     *
     * @returns a number below `limit` if nothing older than `before` is left.
     */
    readonly purge: (before: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("saldo/core/Events") {}
