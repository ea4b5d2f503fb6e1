import { type DateTime, Result } from "effect"
import { keyErrorOf, readKey } from "../../core/domain/Idempotency.ts"
import type { IdempotencyKey, TransactionId } from "../../core/domain/Ids.ts"
import type { KeyError } from "../../core/ports/Ledger.ts"
import { type CompanyBooks, type KeyEntry, type ReversalKey, reversalOf, type SaleKey, saleOf } from "./Books.ts"

export const isSaleKey = (entry: KeyEntry): entry is SaleKey => entry.reversalId === null
export const isReversalKey = (entry: KeyEntry): entry is ReversalKey => entry.reversalId !== null

/** The stored key of a sale or reversal. Undefined if the key was freed, even if another operation uses it now. */
export const keyOf = <Known extends KeyEntry>(
  { keys }: CompanyBooks,
  isKind: (entry: KeyEntry) => entry is Known,
  key: IdempotencyKey,
  transactionId: TransactionId
): Known | undefined => {
  const known = keys.get(key)
  return known !== undefined && isKind(known) && known.transactionId === transactionId ? known : undefined
}

/**
 * Stores the response of a sale or reversal with its key. A stored response never changes, even if the operation is settled
 * later or was never sent. If an operation was not sent and its key has no stored response, the key is freed.
 */
export const answerKey = <Known extends KeyEntry>(
  { keys }: CompanyBooks,
  key: IdempotencyKey,
  known: Known | undefined,
  verdict: { readonly _tag: string },
  outcomeOf: () => Known["outcome"]
): void => {
  if (known === undefined) return
  if (verdict._tag === "Free" && known.outcome === null) keys.delete(key)
  else keys.set(key, { ...known, outcome: known.outcome ?? outcomeOf() } as Known)
}

/** A call with an idempotency key. */
export interface KeyUse {
  readonly fingerprint: string
  readonly now: DateTime.Utc
}

/** Succeeds if a known key replays its response to this call. Otherwise fails with the reason. */
export const checkKey = (books: CompanyBooks, known: KeyEntry, call: KeyUse): Result.Result<void, KeyError> => {
  const { transactionId } = known
  const { status } = saleOf(books, transactionId)
  const named = known.reversalId === null ? saleOf(books, transactionId) : reversalOf(books, known.reversalId)
  const state = readKey({ ...known, completed: known.outcome !== null, settledAt: named.processedAt }, call)
  return state === "replay" ? Result.void : Result.fail(keyErrorOf(state, transactionId, status))
}
