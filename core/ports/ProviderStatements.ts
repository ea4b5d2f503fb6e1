import { Context, type DateTime, type Effect, type Stream } from "effect"
import type { CaseKind } from "../domain/Case.ts"
import type { DayRange } from "../domain/LocalTime.ts"
import type { StatementWithoutDates } from "../domain/OperatorErrors.ts"
import type { ProviderName, StatementLine } from "../domain/ProviderStatement.ts"

/** A statement to compare. */
export interface ComparedStatement<E> {
  readonly provider: ProviderName
  /** Name of the file, for the cases. */
  readonly file: string
  /** The lines in batches. If the stream fails, nothing is stored. */
  readonly lines: Stream.Stream<ReadonlyArray<StatementLine>, E>
  /** The local days to compare. Null: from the first to the last date in the statement. */
  readonly days: Required<DayRange> | null
  /**
   * The time of the comparison. It is stored later than every earlier comparison of the provider, even if
   * clocks differ.
   */
  readonly at: DateTime.Utc
  /** Runs in the transaction that stores the cases. */
  readonly record: (comparison: Comparison) => Effect.Effect<void>
}

/** The result of a comparison. */
export interface Comparison {
  /** `seenAt` of the cases that the comparison has found. */
  readonly at: DateTime.Utc
  readonly since: DateTime.Utc
  /** The end of the compared time span, exclusive. */
  readonly until: DateTime.Utc
  /** Lines in the whole file. */
  readonly lines: number
  /** Sales that agree with their line in status and amount. */
  readonly matched: number
  readonly differences: Readonly<Record<CaseKind, number>>
  readonly cases: {
    readonly found: number
    readonly reopened: number
    /** Earlier cases of the same time span that this comparison no longer found. */
    readonly gone: number
  }
}

/**
 * Compares statements of providers with the sales, and stores each difference as a case. All or nothing is stored. The
 * memory that a comparison needs does not grow with the statement.
 */
export class ProviderStatements extends Context.Service<
  ProviderStatements,
  {
    readonly compare: <E>(statement: ComparedStatement<E>) => Effect.Effect<Comparison, E | StatementWithoutDates>
  }
>()("saldo/core/ProviderStatements") {}
