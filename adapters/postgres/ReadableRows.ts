import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { UnreadableTransaction } from "../../core/domain/OperatorErrors.ts"

interface Named {
  readonly company_id: bigint
  readonly id: bigint
}

/**
 * Reads a row. Null if this version cannot read it, because a later version may have written values that are unknown
 * here.
 */
export const readOrNull = <Row, A extends object>(row: Row, read: (row: Row) => A): A | null =>
  Result.getOrElse(
    Result.try(() => read(row)),
    () => null
  )

/** Passes on `UnreadableTransaction` to the caller. All other failures are defects. */
export const orUnreadable = <A, R>(
  effect: Effect.Effect<A, SqlError | UnreadableTransaction, R>
): Effect.Effect<A, UnreadableTransaction, R> => Effect.catchTag(effect, "SqlError", Effect.die)

/** Reads each row separately, so that an unreadable row does not affect the others. */
export const readEach = <Row extends Named, A extends object>(rows: ReadonlyArray<Row>, read: (row: Row) => A) => {
  const items: Array<A> = []
  const unreadable: Array<Named> = []
  for (const row of rows) {
    const item = readOrNull(row, read)
    if (item === null) unreadable.push(row)
    else items.push(item)
  }
  return { items, unreadable }
}

/**
 * Claims rows, and more rows in place of those that this version cannot read. Unreadable sales stay held. An empty
 * result means that nothing more is due. A short result does not, because rows that change during the claim are
 * skipped.
 */
export const claimReadable = Effect.fnUntraced(function* <Row extends Named, A extends object>(
  about: "sale" | "reversal",
  claim: (limit: number) => Effect.Effect<ReadonlyArray<Row>>,
  read: (row: Row) => A,
  limit: number
): Effect.fn.Return<ReadonlyArray<A>> {
  const rows = yield* claim(limit)
  const { items, unreadable } = readEach(rows, read)
  for (const { company_id, id } of unreadable) {
    // Logs ids only: the unreadable value may be a customer's number.
    const facts = { about, companyId: Number(company_id), transactionId: Number(id) }
    yield* Effect.logError("a claimed sale or reversal cannot be read and stays held", facts)
  }
  if (unreadable.length === 0) return items
  return [...items, ...(yield* claimReadable(about, claim, read, unreadable.length))]
})
