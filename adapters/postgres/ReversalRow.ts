import { DateTime, Schema } from "effect"
import { NotFound, NotReversible, ReversalNotSupported } from "../../core/domain/Errors.ts"
import { ReversalOutcome, type ReversalStatus, type UnderReversal } from "../../core/domain/Reversal.ts"
import { Begun, type ReversalSettled } from "../../core/ports/Reversals.ts"
import { type KeyAnswer, keyErrorIn } from "./KeyRow.ts"
import { orderOf, type TransactionRow, transactionOf } from "./TransactionRow.ts"

const OutcomeJson = Schema.toCodecJson(ReversalOutcome)
/** How a key keeps its answer. */
export const encodeReversalOutcome = Schema.encodeSync(OutcomeJson)
const decode = Schema.decodeUnknownSync(OutcomeJson)

/** What cell.begin_reversal answers. */
export type BeginAnswer =
  | { readonly tag: "Begun"; readonly id: number }
  | { readonly tag: "Replay"; readonly outcome: unknown }
  /** The key was there and is gone: ask again. */
  | { readonly tag: "Vanished" }
  | { readonly tag: "NotFound" | "NotSupported" | "NotReversible" }
  | KeyAnswer

/** What a key that has answered replays. */
export const replayed = ({ outcome }: { readonly outcome: unknown }) => Begun.Replay({ outcome: decode(outcome) })

/** What cell.settle_reversal answers. */
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

/** A reversal and its sale. */
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

/** Why a reversal may not begin. */
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
