import { DateTime, Effect } from "effect"
import { IdempotencyConflict, KeyReused, RequestInProgress } from "../../core/domain/Errors.ts"
import { readKey } from "../../core/domain/Idempotency.ts"
import { TransactionId } from "../../core/domain/Ids.ts"
import type { Outcome } from "../../core/domain/Sale.ts"
import type { Status } from "../../core/domain/Status.ts"
import type { KeyError } from "../../core/ports/Ledger.ts"
import { instantOrNull } from "./Columns.ts"
import { decodeOutcome } from "./OutcomeJson.ts"

/** What the tables know of a key. */
export interface KeyRow {
  readonly fingerprint: string
  readonly transaction_id: bigint
  readonly claimed_at: Date
  readonly completed_at: Date | null
  readonly outcome: unknown
  readonly settled_at: Date | null
  /** How the transaction stands that the key sold, or whose reversal it names. */
  readonly status: Status
}

/** The contract's answer to a key that is brought again, for a caller who claims nothing. */
export const recalled = (row: KeyRow, fingerprint: string, now: DateTime.Utc): Effect.Effect<Outcome, KeyError> => {
  const transactionId = TransactionId.make(Number(row.transaction_id))
  const record = {
    fingerprint: row.fingerprint,
    completed: row.completed_at !== null,
    claimedAt: DateTime.fromDateUnsafe(row.claimed_at),
    processedAt: instantOrNull(row.settled_at)
  }
  switch (readKey(record, { fingerprint, now })) {
    case "replay":
      return Effect.succeed(decodeOutcome(row.outcome))
    case "reused":
      return Effect.fail(new KeyReused())
    case "in_progress":
      return Effect.fail(new RequestInProgress({ transactionId }))
    case "conflict":
      return Effect.fail(new IdempotencyConflict({ transactionId, status: row.status }))
  }
}
