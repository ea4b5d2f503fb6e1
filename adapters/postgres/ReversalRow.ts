import { DateTime, Schema } from "effect"
import { NotFound, NotReversible, ReversalNotSupported } from "../../core/domain/Errors.ts"
import { ReversalOutcome, type ReversalStatus, type UnderReversal } from "../../core/domain/Reversal.ts"
import { Begun, type ReversalSettled } from "../../core/ports/Reversals.ts"
import { type KeyAnswer, keyErrorIn } from "./KeyRow.ts"
import { orderOf, type TransactionRow, transactionOf } from "./TransactionRow.ts"

const OutcomeJson = Schema.toCodecJson(ReversalOutcome)
/** Encodes the stored response of a reversal. */
export const encodeReversalOutcome = Schema.encodeSync(OutcomeJson)
const decode = Schema.decodeUnknownSync(OutcomeJson)

/** Answer of cell.begin_reversal. */
export type BeginAnswer =
  | { readonly tag: "Begun"; readonly id: number }
  | { readonly tag: "Replay"; readonly outcome: unknown }
  /** The key was freed during the call. The caller tries again. */
  | { readonly tag: "Vanished" }
  | { readonly tag: "NotFound" | "NotSupported" | "NotReversible" }
  | KeyAnswer

/** The replay of a key with a stored response. */
export const replayed = ({ outcome }: { readonly outcome: unknown }) => Begun.Replay({ outcome: decode(outcome) })

/** Answer of cell.settle_reversal. */
export interface SettleAnswer {
  readonly won: boolean
  readonly status: ReversalStatus
  readonly outcome: unknown
}

export const settledOf = ({ outcome, status, won }: SettleAnswer): ReversalSettled => ({
  won,
  status,
  outcome: outcome === null ? null : decode(outcome)
})

/** The columns of a reversal and its sale. */
export interface ReversalRow extends TransactionRow {
  readonly reversal_id: bigint
  readonly reversal_xid: string
  readonly reversal_created_at: Date
}

export const underOf = (row: ReversalRow): UnderReversal => ({
  reversal: {
    id: Number(row.reversal_id),
    xid: row.reversal_xid,
    createdAt: DateTime.fromDateUnsafe(row.reversal_created_at),
    order: orderOf(row)
  },
  transaction: transactionOf(row)
})

/** The error for a reversal that may not begin. */
export const refusal = (answer: Exclude<BeginAnswer, { tag: "Begun" | "Replay" | "Vanished" }>) => {
  switch (answer.tag) {
    case "NotFound":
      return new NotFound()
    case "NotSupported":
      return new ReversalNotSupported()
    case "NotReversible":
      return new NotReversible()
    case "KeyReused":
    case "InProgress":
    case "Conflict":
      return keyErrorIn(answer)
  }
}
