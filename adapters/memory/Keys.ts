import { type DateTime, Result } from "effect"
import { IdempotencyConflict, KeyReused, RequestInProgress } from "../../core/domain/Errors.ts"
import { readKey } from "../../core/domain/Idempotency.ts"
import type { KeyError } from "../../core/ports/Ledger.ts"
import { type CompanyBooks, type KeyEntry, reversalOf, saleOf } from "./Books.ts"

/** A call that brings a key. */
export interface Call {
  readonly owner: string
  readonly fingerprint: string
  readonly now: DateTime.Utc
}

/**
 * What a known key says to a call: that it replays, that it is free again, or why it may not be used.
 *
 * @param freed whether a key whose operation was over more than a day ago may name a new one.
 */
export const heard = (
  books: CompanyBooks,
  known: KeyEntry,
  call: Call,
  freed: () => boolean
): Result.Result<"replay" | "free", KeyError> => {
  const { transactionId } = known
  const { status } = saleOf(books, transactionId)
  const { processedAt } = known.reversalId === null ? saleOf(books, transactionId) : reversalOf(books, known.reversalId)
  const conflict = Result.fail(new IdempotencyConflict({ transactionId, status }))
  switch (readKey({ ...known, completed: known.outcome !== null, status, processedAt }, call)) {
    case "own":
      throw new Error("no call in memory loses its connection, so none comes twice")
    case "replay":
      return Result.succeed("replay")
    case "expired":
      return freed() ? Result.succeed("free") : conflict
    case "reused":
      return Result.fail(new KeyReused())
    case "in_progress":
      return Result.fail(new RequestInProgress({ transactionId }))
    case "conflict":
      return conflict
  }
}

/** Does the key name a sale of its own that stands? */
export const sells = (books: CompanyBooks, key: string, { transactionId }: KeyEntry): boolean => {
  const sale = saleOf(books, transactionId)
  return sale.key === key && sale.status !== "FAILED"
}
