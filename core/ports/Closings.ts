import { Context, type DateTime, type Effect, type Option, type Stream } from "effect"
import type { Closing, DayFigures } from "../domain/Closing.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { DayRange } from "../domain/LocalTime.ts"
import type { PageTooDeep } from "../domain/OperatorErrors.ts"
import type { Page, Slice } from "../domain/Page.ts"

/** A company and one of its local days. */
export interface CompanyDay {
  readonly companyId: CompanyId
  readonly day: string
}

/** The first unclosed day of each company, oldest first. A company without ledger entries is left out. */
export interface UnclosedDays {
  readonly days: ReadonlyArray<CompanyDay>
  /** False if the companies of a cell are left out, because the cell did not answer. */
  readonly isComplete: boolean
}

/**
 * Reads and stores the closings of days. A day is closed by `end`, `figures` and `add`, in this order. Each call is one
 * transaction and may be repeated. Contract: 4.8.
 */
export class Closings extends Context.Service<
  Closings,
  {
    /** Whether the clock of the database has passed an instant. All servers share this clock. */
    readonly hasPassed: (instant: DateTime.Utc) => Effect.Effect<boolean>
    /** The unclosed days. The first day of a company is the day of its earliest ledger entry. */
    readonly unclosed: Effect.Effect<UnclosedDays>
    /**
     * Ends a day: from now on, no sale, settlement or entry gets a time of this day or earlier. Returns false, and
     * changes nothing, if the day is not the first unclosed day.
     */
    readonly end: (day: CompanyDay) => Effect.Effect<boolean>
    /** The figures of an ended day. Null if another process is reading them. */
    readonly figures: (day: CompanyDay) => Effect.Effect<DayFigures | null>
    /**
     * Stores a closing. Returns false if the day is closed already. A closing that does not continue the closing of the
     * day before is a defect.
     */
    readonly add: (day: CompanyDay, text: string) => Effect.Effect<boolean>
    /** The last closing before a day. */
    readonly before: (day: CompanyDay) => Effect.Effect<Option.Option<Closing>>
    readonly find: (day: CompanyDay) => Effect.Effect<Option.Option<Closing>>
    /** The closings of a company, newest first. */
    readonly list: (companyId: CompanyId, days: DayRange, page: Page) => Effect.Effect<Slice<Closing>>
    /** Streams the closings of a company, newest first. */
    readonly all: (companyId: CompanyId, days: DayRange) => Stream.Stream<Closing>
    /** Streams the closings of all companies. The closings of one company follow one another, oldest first. */
    readonly chains: Stream.Stream<Closing>
    /** The closings of all companies or of one, newest day first. For the operator. */
    readonly ofCompanies: (
      companyId: CompanyId | undefined,
      days: DayRange,
      page: Page
    ) => Effect.Effect<Slice<Closing>, PageTooDeep>
  }
>()("saldo/core/Closings") {}
