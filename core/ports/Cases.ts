import { Context, type DateTime, type Effect, type Option, type Stream } from "effect"
import type { Case, CaseId, CaseKind, CaseNote, CaseState } from "../domain/Case.ts"
import type { Page, Slice } from "../domain/Page.ts"
import type { ProviderName } from "../domain/ProviderStatement.ts"

/** Which cases a list contains. A missing part allows every value. */
export interface CaseFilter {
  readonly provider?: ProviderName | undefined
  readonly kind?: CaseKind | undefined
  readonly state?: CaseState | undefined
  /** Only cases that the comparison at this instant has seen. */
  readonly seenAt?: DateTime.Utc | undefined
}

/** The differences between statements of providers and the sales. */
export class Cases extends Context.Service<
  Cases,
  {
    /** A page of the cases, newest first. */
    readonly list: (filter: CaseFilter, page: Page) => Effect.Effect<Slice<Case>>
    /** Streams all cases that match the filter, oldest first. Holds one page of cases in memory. */
    readonly all: (filter: CaseFilter) => Stream.Stream<Case>
    readonly find: (id: CaseId) => Effect.Effect<Option.Option<Case>>
    /** The notes of a case, oldest first. */
    readonly notes: (id: CaseId) => Effect.Effect<ReadonlyArray<CaseNote>>
    /** Adds a note, and sets the case to the note's state. Returns whether the case was not closed before. */
    readonly note: (id: CaseId, note: CaseNote) => Effect.Effect<boolean>
  }
>()("saldo/core/Cases") {}
