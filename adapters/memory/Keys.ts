import { type DateTime, Result } from "effect"
import { keyErrorOf, readKey } from "../../core/domain/Idempotency.ts"
import type { KeyError } from "../../core/ports/Ledger.ts"
import { type CompanyBooks, type KeyEntry, reversalOf, saleOf } from "./Books.ts"

/** A call with an idempotency key. */
export interface Call {
  readonly fingerprint: string
  readonly now: DateTime.Utc
}

/** Succeeds if a known key replays its response to this call. Otherwise fails with the reason. */
export const checkKey = (books: CompanyBooks, known: KeyEntry, call: Call): Result.Result<void, KeyError> => {
  const { transactionId } = known
  const { status } = saleOf(books, transactionId)
  const named = known.reversalId === null ? saleOf(books, transactionId) : reversalOf(books, known.reversalId)
  const state = readKey({ ...known, completed: known.outcome !== null, settledAt: named.processedAt }, call)
  return state === "replay" ? Result.void : Result.fail(keyErrorOf(state, transactionId, status))
}
