import { DateTime, Schema } from "effect"
import { Order } from "../../core/domain/Sale.ts"
import { Transaction } from "../../core/domain/Transaction.ts"
import { instantOrNull } from "./Columns.ts"

const columns = [
  ...["company_id", "id", "xid", "environment", "status", "service_id", "service_name", "service_type", "identifier"],
  ...["amount", "product", "option_reference", "auth_code", "recharge_token", "terminal_id", "created_at"],
  ...["processed_at"]
]

/** The columns of a sale, as SQL. */
export const transactionColumns = (prefix = ""): string => columns.map((column) => `${prefix}${column}`).join(", ")

export interface TransactionRow {
  readonly company_id: bigint
  readonly id: bigint
  readonly xid: string
  readonly environment: string
  readonly status: string
  readonly service_id: bigint
  readonly service_name: string
  readonly service_type: string
  readonly identifier: string
  readonly amount: bigint
  readonly product: string | null
  readonly option_reference: string | null
  readonly auth_code: string | null
  readonly recharge_token: string | null
  readonly terminal_id: string | null
  readonly created_at: Date
  readonly processed_at: Date | null
}

// The fields that an order and a transaction have in common.
const soldOf = (row: TransactionRow) => ({
  xid: row.xid,
  service: { id: Number(row.service_id), name: row.service_name, type: row.service_type },
  identifier: row.identifier,
  amount: Number(row.amount),
  createdAt: DateTime.fromDateUnsafe(row.created_at)
})

const decode = Schema.decodeUnknownSync(Schema.toType(Transaction))

export const transactionOf = (row: TransactionRow): Transaction =>
  decode({
    ...soldOf(row),
    id: Number(row.id),
    status: row.status,
    authCode: row.auth_code,
    rechargeToken: row.recharge_token,
    terminalId: row.terminal_id,
    processedAt: instantOrNull(row.processed_at)
  })

const decodeOrder = Schema.decodeUnknownSync(Schema.toType(Order))

export const orderOf = (row: TransactionRow): Order =>
  decodeOrder({
    ...soldOf(row),
    companyId: Number(row.company_id),
    transactionId: Number(row.id),
    environment: row.environment,
    product: row.product,
    reference: row.option_reference
  })
