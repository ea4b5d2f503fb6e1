import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { UnreadableTransaction } from "../../core/domain/OperatorErrors.ts"

interface Named {
  readonly company_id: bigint
  readonly id: bigint
}

/** A row, or null when this version cannot read it: a later one may have written what this does not know. */
export const readOrNull = <Row, A extends object>(row: Row, read: (row: Row) => A): A | null =>
  Result.getOrElse(
    Result.try(() => read(row)),
    () => null
  )

/** Whoever looked for a row is told when it cannot be read; all else that breaks is a defect. */
export const orUnreadable = <A, R>(
  effect: Effect.Effect<A, SqlError | UnreadableTransaction, R>
): Effect.Effect<A, UnreadableTransaction, R> => Effect.catchTag(effect, "SqlError", Effect.die)

/** Reads each row by itself: one that cannot be read is nothing to the others. */
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
 * Claims rows, and more of them in the place of those that this version cannot read, which stay held. No rows at all
 * say that nothing more is due; fewer than were wanted do not, as what changes while it is being claimed is left out.
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
    // Without what could not be read: it may be whom the sale is for.
    const facts = { about, companyId: Number(company_id), transactionId: Number(id) }
    yield* Effect.logError("what was claimed cannot be read: it stays held", facts)
  }
  if (unreadable.length === 0) return items
  return [...items, ...(yield* claimReadable(about, claim, read, unreadable.length))]
})
