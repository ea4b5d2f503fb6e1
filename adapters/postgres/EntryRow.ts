import { DateTime, Schema } from "effect"
import { Entry } from "../../core/domain/Entry.ts"
import { numberOrNull } from "./Columns.ts"

/** The columns of a ledger entry. */
export interface EntryRow {
  readonly id: bigint
  readonly type: string
  readonly amount: bigint
  readonly balance: bigint
  readonly transaction_id: bigint | null
  readonly reference: string | null
  readonly created_at: Date
}

const decode = Schema.decodeUnknownSync(Schema.toType(Entry))

export const entryOf = (row: EntryRow): Entry =>
  decode({
    id: Number(row.id),
    type: row.type,
    amount: Number(row.amount),
    balance: Number(row.balance),
    transactionId: numberOrNull(row.transaction_id),
    reference: row.reference,
    createdAt: DateTime.fromDateUnsafe(row.created_at)
  })
