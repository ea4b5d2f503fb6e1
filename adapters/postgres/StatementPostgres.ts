import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Stream } from "effect"
import type { CompanyId } from "../../core/domain/Ids.ts"
import type { DayRange } from "../../core/domain/LocalTime.ts"
import type { Page } from "../../core/domain/Page.ts"
import { Statement } from "../../core/ports/Statement.ts"
import { companyReads } from "./CompanyReads.ts"
import { type EntryRow, entryOf } from "./EntryRow.ts"
import { blocksOf, type CountedList, firstBeyond, ofCompany, pageOfCounted } from "./Paged.ts"
import { int8 } from "./Parameters.ts"

/** Entries to read at once for each statement that is being sent to a client. */
const part = 1_000

const entries: CountedList = {
  list: "entry",
  length: "entries",
  table: "cell.entry",
  columns: "t.id, t.type, t.amount, t.balance, t.transaction_id, t.reference, t.created_at"
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const reads = yield* companyReads

  const page = (companyId: CompanyId, range: DayRange, page: Page) =>
    Effect.map(pageOfCounted<EntryRow>(sql, reads, entries, { companyId, range }, page), ({ items, total }) => ({
      items: items.map(entryOf),
      total
    }))

  /** The lowest and highest id in the range. */
  const spanOf = Effect.fnUntraced(function* (companyId: CompanyId, range: DayRange) {
    const [span] = yield* Effect.orDie(reads(companyId)<{ first: bigint | null; last: bigint | null }>`
      select
        least(min(o.first_id), min(beyond.first_id)) as first,
        coalesce(
          (
            select max(t.id)
            from cell.entry as t
            where ${sql.and([...ofCompany(sql, companyId, range), sql`t.id >= min(beyond.first_id)`])}
          ),
          max(o.last_id)
        ) as last
      from (select ${firstBeyond(sql, "entry", companyId)} as first_id) as beyond
      left join cell.block as o on ${blocksOf(sql, "entry", companyId, range)}`)
    return { first: span?.first ?? 0n, last: span?.last ?? 0n }
  })

  // Reads downwards by id, which shows the ledger at one instant without keeping a connection while the client reads.
  // New entries always have higher ids, because an id is drawn while the balance is locked.
  const all = (companyId: CompanyId, range: DayRange) =>
    Stream.unwrap(
      Effect.map(spanOf(companyId, range), ({ first, last }) =>
        Stream.paginate(
          last,
          Effect.fnUntraced(function* (highest: bigint) {
            const rows = yield* Effect.orDie(reads(companyId)<EntryRow>`
              select ${sql.literal(entries.columns)}
              from cell.entry as t
              where ${sql.and([
                ...ofCompany(sql, companyId, range),
                sql`t.id between ${int8(first)} and ${int8(highest)}`
              ])}
              order by t.id desc
              limit ${part}`)
            const lowest = rows.length < part ? undefined : rows.at(-1)?.id
            return [rows.map(entryOf), Option.map(Option.fromUndefinedOr(lowest), (id) => id - 1n)] as const
          })
        )
      )
    )

  return Statement.of({ page, all })
})

/** `Statement` in Postgres. */
export const layer = Layer.effect(Statement, make)
