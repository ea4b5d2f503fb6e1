import { DateTime, Effect, Schema } from "effect"
import {
  CompanyClosed,
  DuplicateTransaction,
  IdempotencyConflict,
  InsufficientBalance,
  KeyReused,
  LimitExceeded,
  RequestInProgress
} from "../../../core/domain/Errors.ts"
import { keyErrorOf, readKey } from "../../../core/domain/Idempotency.ts"
import { TransactionId } from "../../../core/domain/Ids.ts"
import { Centavos } from "../../../core/domain/Money.ts"
import { nextAsk } from "../../../core/domain/Recovery.ts"
import { type Intent, Outcome, outcomeOf } from "../../../core/domain/Sale.ts"
import type { Status } from "../../../core/domain/Status.ts"
import {
  type KeyError,
  QuoteChanged,
  Reserved,
  type ReserveError,
  type Settled,
  type Settlement
} from "../../../core/ports/Ledger.ts"
import { instantOrNull } from "../connection/Sql.ts"

/** A response as the money functions return it. */
export const OutcomeJson = Schema.toCodecJson(Outcome)

/**
 * The stored form of a response. A delivered sale is stored without its order, which response_of (sql/functions/common.sql) adds
 * again from the row of the sale. Converts the instant to a string here, because JSON.stringify takes seven times as long for
 * objects with a toJSON method.
 */
export const storedOutcome = (outcome: Outcome | null) =>
  outcome?._tag === "Delivered"
    ? { _tag: outcome._tag, delivery: outcome.delivery, processedAt: DateTime.formatIso(outcome.processedAt) }
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
  /** Status of the sale that was made with the key. If a reversal was made with the key, status of the reversed sale. */
  readonly status: Status
}

/** The response or the error of a known key, for a call that only reads and does not claim the key. */
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

/** Answer of the money functions to a known key, if they replay no response. */
export type KeyAnswer =
  | { readonly tag: "KeyReused" }
  | { readonly tag: "InProgress"; readonly transaction_id: number }
  | { readonly tag: "Conflict"; readonly transaction_id: number; readonly status: Status }

/** The error that the contract defines for this answer. */
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

/** A reservation, and the id by which a retry recognizes its own earlier commit. */
export interface Member {
  readonly intent: Intent
  readonly owner: string
}

/** The row that the function reserve returns for one request of the group. */
export type ReserveAnswer =
  | { readonly tag: "Reserved"; readonly transaction_id: number; readonly created_at: string }
  | { readonly tag: "Replay"; readonly outcome: unknown }
  /** The key was freed during the call. The caller tries again. */
  | { readonly tag: "Vanished" }
  | KeyAnswer
  | { readonly tag: "Duplicate"; readonly transaction_id: number }
  | { readonly tag: "QuoteChanged" }
  | { readonly tag: "Closed" }
  | { readonly tag: "InsufficientBalance"; readonly available: number }
  | {
      readonly tag: "LimitExceeded"
      readonly period: LimitExceeded["period"]
      readonly limit: number
      readonly consumption: number
    }

/** One request of the group as JSON for the function reserve. Omits absent fields, because an explicit null costs as much as a value. */
export const reserveRow = ({ intent, owner }: Member, n: number) => ({
  n,
  owner,
  company_id: intent.companyId,
  key: intent.key,
  // The hex notation of Postgres for bytes.
  fingerprint: `\\x${intent.fingerprint}`,
  xid: intent.xid,
  environment: intent.environment,
  service_id: intent.service.id,
  service_name: intent.service.name,
  service_type: intent.service.type,
  identifier: intent.identifier,
  amount: intent.amount,
  terminal_id: intent.terminalId ?? undefined,
  option_id: intent.optionId ?? undefined,
  bill_id: intent.billId ?? undefined,
  insurance_id: intent.insuranceId ?? undefined,
  product: intent.product ?? undefined,
  option_reference: intent.reference ?? undefined,
  reversible: intent.reversible
})

/** Converts the answer of the function reserve to the result of `Ledger.reserve`. */
export const reserved = (
  intent: Intent,
  answer: Exclude<ReserveAnswer, { tag: "Vanished" }>
): Effect.Effect<Reserved, ReserveError> => {
  switch (answer.tag) {
    case "Reserved":
      return Effect.succeed(
        Reserved.Reservation({
          order: {
            companyId: intent.companyId,
            transactionId: TransactionId.make(answer.transaction_id),
            environment: intent.environment,
            xid: intent.xid,
            service: intent.service,
            identifier: intent.identifier,
            amount: intent.amount,
            product: intent.product,
            reference: intent.reference,
            createdAt: DateTime.makeUnsafe(answer.created_at)
          }
        })
      )
    case "Replay":
      return Effect.succeed(Reserved.Replay({ outcome: decodeOutcome(answer.outcome) }))
    case "KeyReused":
    case "InProgress":
    case "Conflict":
      return Effect.fail(keyErrorIn(answer))
    case "Duplicate":
      return Effect.fail(new DuplicateTransaction({ transactionId: TransactionId.make(answer.transaction_id) }))
    case "QuoteChanged":
      return Effect.fail(new QuoteChanged())
    case "Closed":
      return Effect.fail(new CompanyClosed())
    case "InsufficientBalance":
      return Effect.fail(
        new InsufficientBalance({ available: Centavos.make(answer.available), required: intent.amount })
      )
    case "LimitExceeded":
      return Effect.fail(
        new LimitExceeded({
          period: answer.period,
          limit: Centavos.make(answer.limit),
          consumption: Centavos.make(answer.consumption),
          required: intent.amount
        })
      )
  }
}

/** The row that the function settle returns for one request of the group. */
export interface SettleAnswer {
  readonly won: boolean
  /** Whether the key replays the outcome of this request. If so, `outcome` is omitted. */
  readonly kept: boolean
  readonly status: Status
  readonly repeated: boolean
  /** The outcome that the key replays instead. Null if there is none. */
  readonly outcome: unknown
}

const ownOutcome = ({ at, order, toldPending, verdict }: Settlement) => outcomeOf(order, verdict, at, toldPending)

/** A settlement as JSON for the function settle, without its number in the group. Absent fields are omitted. */
export const settleRow = (settlement: Settlement) => {
  const { at, claimedAt, notFound, order, verdict } = settlement
  const delivery = verdict._tag === "Confirm" ? verdict.delivery : undefined
  return {
    company_id: order.companyId,
    transaction_id: order.transactionId,
    verdict: verdict._tag,
    auth_code: delivery?.authCode,
    recharge_token: delivery?.rechargeToken ?? undefined,
    valid_from: delivery?.validity?.from,
    valid_until: delivery?.validity?.until,
    refusal: verdict._tag === "Release" ? verdict.refusal : undefined,
    outcome: storedOutcome(ownOutcome(settlement)),
    at: DateTime.formatIso(at),
    // Only sales that stay held have a next status query.
    ask_at: verdict._tag === "Hold" ? DateTime.formatIso(nextAsk(order.createdAt, at)) : undefined,
    not_found: notFound,
    claimed_at: claimedAt === undefined ? undefined : DateTime.formatIso(claimedAt)
  }
}
export type SettleRow = ReturnType<typeof settleRow>

/** The state of the sale after the settlement. */
export const settled = (settlement: Settlement, { kept, outcome, repeated, status, won }: SettleAnswer): Settled => ({
  won,
  status,
  isRepeated: repeated,
  outcome: kept ? ownOutcome(settlement) : outcome === null ? null : decodeOutcome(outcome)
})
