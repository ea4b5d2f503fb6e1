import { DateTime, Effect } from "effect"
import { IdempotencyConflict, KeyReused, RequestInProgress } from "../../core/domain/Errors.ts"
import { type KeyRecord, readKey } from "../../core/domain/Idempotency.ts"
import { TransactionId } from "../../core/domain/Ids.ts"
import type { Outcome } from "../../core/domain/Sale.ts"
import type { Status } from "../../core/domain/Status.ts"
import type { KeyError } from "../../core/ports/Ledger.ts"
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
  /** Whether the key sold it. */
  readonly sold: boolean
}

/** The contract's answer to a key that is brought again, for a caller who claims nothing. */
export const recalled = (
  row: KeyRow,
  fingerprint: string,
  now: DateTime.Utc
): Effect.Effect<Outcome | null, KeyError> => {
  const transactionId = TransactionId.make(Number(row.transaction_id))
  const record: KeyRecord = {
    owner: "another",
    fingerprint: row.fingerprint,
    completed: row.completed_at !== null,
    claimedAt: DateTime.fromDateUnsafe(row.claimed_at),
    status: row.status,
    processedAt: row.settled_at === null ? null : DateTime.fromDateUnsafe(row.settled_at)
  }
  switch (readKey(record, { owner: "", fingerprint, now })) {
    case "replay":
      return Effect.succeed(decodeOutcome(row.outcome))
    case "reused":
      return Effect.fail(new KeyReused())
    case "in_progress":
      return Effect.fail(new RequestInProgress({ transactionId }))
    case "conflict":
      return Effect.fail(new IdempotencyConflict({ transactionId, status: row.status }))
    case "expired":
      // Only a sale keeps its key: the xid that follows from it is taken. What a reversal was named by is free again.
      return row.sold && row.status !== "FAILED"
        ? Effect.fail(new IdempotencyConflict({ transactionId, status: row.status }))
        : Effect.succeed(null)
    case "own":
      return Effect.die(new Error("whoever recalls a key has claimed none"))
  }
}
