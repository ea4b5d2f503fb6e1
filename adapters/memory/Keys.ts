import { type DateTime, Result } from "effect"
import { IdempotencyConflict, KeyReused, RequestInProgress } from "../../core/domain/Errors.ts"
import { readKey } from "../../core/domain/Idempotency.ts"
import type { KeyError } from "../../core/ports/Ledger.ts"
import { type CompanyBooks, type KeyEntry, reversalOf, saleOf } from "./Books.ts"

/** A call that brings a key. */
export interface Call {
  readonly fingerprint: string
  readonly now: DateTime.Utc
}

/** Whether a known key replays for a call, or why it does not. */
export const heard = (books: CompanyBooks, known: KeyEntry, call: Call): Result.Result<void, KeyError> => {
  const { transactionId } = known
  const { status } = saleOf(books, transactionId)
  const { processedAt } = known.reversalId === null ? saleOf(books, transactionId) : reversalOf(books, known.reversalId)
  switch (readKey({ ...known, completed: known.outcome !== null, processedAt }, call)) {
    case "replay":
      return Result.void
    case "reused":
      return Result.fail(new KeyReused())
    case "in_progress":
      return Result.fail(new RequestInProgress({ transactionId }))
    case "conflict":
      return Result.fail(new IdempotencyConflict({ transactionId, status }))
  }
}
