import { Context, type DateTime, type Effect } from "effect"
import type { CompanyEvent, Sequence } from "../domain/Event.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { EventType } from "../domain/Webhook.ts"

/** Which events of a company to read. */
export interface EventsWanted {
  /** Only events after this one. */
  readonly after: Sequence
  readonly type?: EventType | undefined
  readonly limit: number
}

/** Reads the events of companies. The ledger writes them, in the transactions that make them true. */
export class Events extends Context.Service<
  Events,
  {
    /** The events of a company, oldest first. */
    readonly list: (companyId: CompanyId, wanted: EventsWanted) => Effect.Effect<ReadonlyArray<CompanyEvent>>
    /** Those of the companies whose events are on. */
    readonly turnedOn: (companies: ReadonlyArray<CompanyId>) => Effect.Effect<ReadonlySet<CompanyId>>
    /** Turns the events of a company on or off. */
    readonly turn: (companyId: CompanyId, on: boolean, at: DateTime.Utc) => Effect.Effect<void>
    /**
     * Deletes at most `limit` old events and as many deliveries.
     *
     * @returns fewer than `limit` if no more are that old.
     */
    readonly purge: (before: DateTime.Utc, limit: number) => Effect.Effect<number>
  }
>()("saldo/core/Events") {}
