import { DateTime, Effect, Result, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { UnreadableTransaction } from "../../../core/domain/OperatorErrors.ts"
import { Order } from "../../../core/domain/Sale.ts"
import { Transaction } from "../../../core/domain/Transaction.ts"
import type { CellSql } from "../connection/Cell.ts"
import { instantOrNull } from "../connection/Sql.ts"

interface RowIds {
  readonly company_id: bigint
  readonly id: bigint
}

/**
 * Reads a row. Null if this version cannot read it, because a later version may have written values that are unknown
 * here.
 */
export const readOrNull = <Row, A extends object>(row: Row, read: (row: Row) => A): A | null =>
  Result.getOrElse(
    Result.try(() => read(row)),
    () => null
  )

/** Passes on `UnreadableTransaction` to the caller. All other failures are defects. */
export const orUnreadable = <A, R>(
  effect: Effect.Effect<A, SqlError | UnreadableTransaction, R>
): Effect.Effect<A, UnreadableTransaction, R> => Effect.catchTag(effect, "SqlError", Effect.die)

/** Reads each row separately, so that an unreadable row does not affect the others. */
export const readEach = <Row extends RowIds, A extends object>(rows: ReadonlyArray<Row>, read: (row: Row) => A) => {
  const items: Array<A> = []
  const unreadable: Array<RowIds> = []
  for (const row of rows) {
    const item = readOrNull(row, read)
    if (item === null) unreadable.push(row)
    else items.push(item)
  }
  return { items, unreadable }
}

/**
 * Claims rows. For each row that this version cannot read, claims another row instead. The amount of an unreadable sale
 * stays held. Only an empty result means that nothing more is due. A result below the limit may be incomplete, because a
 * claim skips rows that change meanwhile.
 */
export const claimReadable = Effect.fnUntraced(function* <Row extends RowIds, A extends object>(
  about: "sale" | "reversal",
  claim: (limit: number) => Effect.Effect<ReadonlyArray<Row>>,
  read: (row: Row) => A,
  limit: number
): Effect.fn.Return<ReadonlyArray<A>> {
  const rows = yield* claim(limit)
  const { items, unreadable } = readEach(rows, read)
  for (const { company_id, id } of unreadable) {
    // Logs ids only: the unreadable value may be a customer's number.
    const facts = { about, companyId: Number(company_id), transactionId: Number(id) }
    yield* Effect.logError("a claimed sale or reversal cannot be read and stays held", facts)
  }
  if (unreadable.length === 0) return items
  return [...items, ...(yield* claimReadable(about, claim, read, unreadable.length))]
})

const columns = [
  ...["company_id", "id", "xid", "environment", "status", "service_id", "service_name", "service_type", "identifier"],
  ...["amount", "product", "option_reference", "auth_code", "recharge_token", "terminal_id", "created_at"],
  ...["processed_at"]
]

/** The columns of a sale without its reversals, as SQL. */
export const saleColumns = (prefix = ""): string => columns.map((column) => `${prefix}${column}`).join(", ")

/** The fields of a reversal (alias `v`) that a transaction shows, as SQL. */
export const reversalJson =
  "jsonb_build_object('status', v.status, 'requested_at', v.created_at, 'resolved_at', v.processed_at)"

/**
 * The column with the latest reversal of a sale, as SQL. `sale` is the alias of rows with the columns `company_id`, `id`
 * and `reversible`. Only a reversible sale can have a reversal, so no other sale is looked up.
 */
export const latestReversal = (sql: CellSql, sale: string): Fragment => sql`(
  select ${sql.literal(reversalJson)}
  from ${sql.cell}.reversal as v
  where ${sql.literal(`${sale}.reversible and v.company_id = ${sale}.company_id and v.transaction_id = ${sale}.id`)}
  order by v.id desc
  limit 1
) as latest_reversal`

/** The columns of a sale (alias `t`) and its latest reversal, as SQL. */
export const transactionColumns = (sql: CellSql): Fragment =>
  sql`${sql.literal(saleColumns("t."))}, ${latestReversal(sql, "t")}`

export interface SaleRow {
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

export interface TransactionRow extends SaleRow {
  readonly latest_reversal: {
    readonly status: string
    readonly requested_at: string
    readonly resolved_at: string | null
  } | null
}

// The fields that an order and a transaction have in common.
const soldOf = (row: SaleRow) => ({
  xid: row.xid,
  service: { id: Number(row.service_id), name: row.service_name, type: row.service_type },
  identifier: row.identifier,
  amount: Number(row.amount),
  createdAt: DateTime.fromDateUnsafe(row.created_at)
})

const latestReversalOf = ({ latest_reversal: latest }: TransactionRow) =>
  latest && {
    status: latest.status,
    requestedAt: DateTime.makeUnsafe(latest.requested_at),
    resolvedAt: latest.resolved_at === null ? null : DateTime.makeUnsafe(latest.resolved_at)
  }

const decodeTransaction = Schema.decodeUnknownSync(Schema.toType(Transaction))

export const transactionOf = (row: TransactionRow): Transaction =>
  decodeTransaction({
    ...soldOf(row),
    id: Number(row.id),
    status: row.status,
    authCode: row.auth_code,
    rechargeToken: row.recharge_token,
    terminalId: row.terminal_id,
    processedAt: instantOrNull(row.processed_at),
    reversal: latestReversalOf(row)
  })

const decodeOrder = Schema.decodeUnknownSync(Schema.toType(Order))

export const orderOf = (row: SaleRow): Order =>
  decodeOrder({
    ...soldOf(row),
    companyId: Number(row.company_id),
    transactionId: Number(row.id),
    environment: row.environment,
    product: row.product,
    reference: row.option_reference
  })
