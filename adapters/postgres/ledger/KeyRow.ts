import { DateTime, Effect, Schema } from "effect"
import { IdempotencyConflict, KeyReused, RequestInProgress } from "../../../core/domain/Errors.ts"
import { keyErrorOf, readKey } from "../../../core/domain/Idempotency.ts"
import { TransactionId } from "../../../core/domain/Ids.ts"
import { Outcome } from "../../../core/domain/Sale.ts"
import type { Status } from "../../../core/domain/Status.ts"
import type { KeyError } from "../../../core/ports/Ledger.ts"
import { instantOrNull } from "../connection/Sql.ts"

/** The stored form of a response. */
export const OutcomeJson = Schema.toCodecJson(Outcome)

/**
 * Encodes an outcome as the codec does, in a tenth of the time, because every sale writes one. Converts instants to
 * strings here: JSON.stringify takes seven times as long for objects with a toJSON method.
 */
export const encodeOutcome = (outcome: Outcome | null) =>
  outcome?._tag === "Delivered"
    ? {
        ...outcome,
        order: { ...outcome.order, createdAt: DateTime.formatIso(outcome.order.createdAt) },
        processedAt: DateTime.formatIso(outcome.processedAt)
      }
    : outcome

export const decodeOutcome = Schema.decodeUnknownSync(OutcomeJson)

/** A stored idempotency key. */
export interface KeyRow {
  readonly fingerprint: string
  readonly transaction_id: bigint
  readonly claimed_at: Date
  readonly completed_at: Date | null
  readonly outcome: unknown
  readonly settled_at: Date | null
  /** Status of the sale that the key made or asked to reverse. */
  readonly status: Status
}

/** The response or the error of a known key, for a read that claims nothing. */
export const recalled = (row: KeyRow, fingerprint: string, now: DateTime.Utc): Effect.Effect<Outcome, KeyError> => {
  const transactionId = TransactionId.make(Number(row.transaction_id))
  const record = {
    fingerprint: row.fingerprint,
    completed: row.completed_at !== null,
    claimedAt: DateTime.fromDateUnsafe(row.claimed_at),
    settledAt: instantOrNull(row.settled_at)
  }
  const state = readKey(record, { fingerprint, now })
  return state === "replay"
    ? Effect.succeed(decodeOutcome(row.outcome))
    : Effect.fail(keyErrorOf(state, transactionId, row.status))
}

/** Answer of the money functions to a known key that does not replay. */
export type KeyAnswer =
  | { readonly tag: "KeyReused" }
  | { readonly tag: "InProgress"; readonly transaction_id: number }
  | { readonly tag: "Conflict"; readonly transaction_id: number; readonly status: Status }

/** The contract's error for that answer. */
export const keyErrorIn = (answer: KeyAnswer): KeyError => {
  switch (answer.tag) {
    case "KeyReused":
      return new KeyReused()
    case "InProgress":
      return new RequestInProgress({ transactionId: TransactionId.make(answer.transaction_id) })
    case "Conflict":
      return new IdempotencyConflict({
        transactionId: TransactionId.make(answer.transaction_id),
        status: answer.status
      })
  }
}
