import { DateTime, Effect, Layer, Option, Schema, Stream } from "effect"
import { Entry } from "../../../core/domain/Account.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import type { ListFilter, Page } from "../../../core/domain/Page.ts"
import { Statement } from "../../../core/ports/Statement.ts"
import { cellClient } from "../connection/Cell.ts"
import { companyReads } from "../connection/CompanyReads.ts"
import { int8, numberOrNull } from "../connection/Sql.ts"
import { blocksOf, type CountedList, firstBeyond, ofCompany, pageOfCounted } from "./CountedList.ts"

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

const decodeEntry = Schema.decodeUnknownSync(Schema.toType(Entry))

export const entryOf = (row: EntryRow): Entry =>
  decodeEntry({
    id: Number(row.id),
    type: row.type,
    amount: Number(row.amount),
    balance: Number(row.balance),
    transactionId: numberOrNull(row.transaction_id),
    reference: row.reference,
    createdAt: DateTime.fromDateUnsafe(row.created_at)
  })

/** The columns of a ledger entry, as SQL. */
export const entryColumns = (prefix = ""): string =>
  ["id", "type", "amount", "balance", "transaction_id", "reference", "created_at"]
    .map((column) => `${prefix}${column}`)
    .join(", ")

/** Number of entries that are read with one query while a statement is sent to a client. */
const part = 1_000

const entryList: CountedList = {
  list: "entry",
  length: "entries",
  table: "entry",
  columns: entryColumns("t.")
}

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const reads = yield* companyReads

  const page = (companyId: CompanyId, filter: ListFilter, page: Page) =>
    Effect.map(pageOfCounted<EntryRow>(sql, reads, entryList, { companyId, filter }, page), (slice) => ({
      ...slice,
      items: slice.items.map(entryOf)
    }))

  /** The lowest and highest id that rows of the filter may have. */
  const spanOf = Effect.fnUntraced(function* (companyId: CompanyId, filter: ListFilter) {
    const blocks = blocksOf(sql, "entry", { companyId, filter })
    const [span] = yield* Effect.orDie(reads(companyId)<{ first: bigint | null; last: bigint | null }>`
      select
        least(min(o.first_id), min(beyond.first_id)) as first,
        coalesce(
          (
            select max(t.id)
            from ${sql.cell}.entry as t
            where ${sql.and([...ofCompany(sql, companyId, filter), sql`t.id >= min(beyond.first_id)`])}
          ),
          max(o.last_id)
        ) as last
      from (select ${firstBeyond(sql, "entry", companyId)} as first_id) as beyond
      left join ${blocks.table} as o on ${blocks.condition}`)
    return { first: span?.first ?? 0n, last: span?.last ?? 0n }
  })

  // A company that moves to another cell leaves no rows here, and its statement must not look complete.
  const mustBeHere = Effect.fnUntraced(function* (companyId: CompanyId) {
    const rows = yield* Effect.orDie(reads(companyId)`
      select b.company_id from ${sql.cell}.balance as b where b.company_id = ${int8(companyId)}`)
    if (rows.length === 0) return yield* Effect.die(new Error(`company ${companyId} has left the cell`))
  })

  // Reads downwards by id, which shows the ledger at one instant without keeping a connection while the client reads.
  // New entries always have higher ids, because an id is drawn while the balance is locked.
  const all = (companyId: CompanyId, filter: ListFilter) =>
    Stream.unwrap(
      Effect.map(spanOf(companyId, filter), ({ first, last }) =>
        Stream.paginate(
          last,
          Effect.fnUntraced(function* (highest: bigint) {
            const rows = yield* Effect.orDie(reads(companyId)<EntryRow>`
              select ${sql.literal(entryList.columns)}
              from ${sql.cell}.entry as t
              where ${sql.and([
                ...ofCompany(sql, companyId, filter),
                sql`t.id between ${int8(first)} and ${int8(highest)}`
              ])}
              order by t.id desc
              limit ${part}`)
            const lowest = rows.length < part ? undefined : rows.at(-1)?.id
            if (lowest === undefined && last > 0n) yield* mustBeHere(companyId)
            return [rows.map(entryOf), Option.map(Option.fromUndefinedOr(lowest), (id) => id - 1n)] as const
          })
        )
      )
    )

  return Statement.of({ page, all })
})

export const layer = Layer.effect(Statement, make)
