import { Context, type DateTime, type Effect } from "effect"
import { type CompanyEvent, Sequence } from "../domain/Event.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { EventType } from "../domain/Webhook.ts"

/** The events of a company that a reader wants. */
export interface EventsWanted {
  /** Only events after this one. */
  readonly after: Sequence
  readonly type?: EventType | undefined
  readonly limit: number
}

/** The wanted events of a company, oldest first, up to the limit. */
export interface EventsRead {
  readonly events: ReadonlyArray<CompanyEvent>
  /**
   * The value of `after` for the next read. If the limit was reached, the sequence of the last of these events. Otherwise
   * the sequence of the company's newest event of any type, so that the next read skips the events of other types.
   */
  readonly next: Sequence
}

/**
 * The value of `next` after a read.
 *
 * @param newest the sequence of the company's newest event when the events were read. 0: the company has no events.
 */
export const nextAfter = (
  after: Sequence,
  limit: number,
  events: ReadonlyArray<CompanyEvent>,
  newest: number
): Sequence => (events.length < limit ? Sequence.make(Math.max(after, newest)) : (events.at(-1)?.sequence ?? after))

/**
 * Reads the events of companies. The ledger writes an event in the same transaction as the change that the event
 * reports.
 */
export class Events extends Context.Service<
  Events,
  {
    readonly list: (companyId: CompanyId, wanted: EventsWanted) => Effect.Effect<EventsRead>
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
