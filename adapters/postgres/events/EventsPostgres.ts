import { type DateTime, Effect, Layer } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Events, type EventsWanted, nextAfter } from "../../../core/ports/Events.ts"
import { cellClient, isOpen } from "../connection/Cell.ts"
import { companyReads } from "../connection/CompanyReads.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { type EventRow, eventColumns, eventReader } from "./EventRows.ts"
import { queueTransactionsInTurn } from "./QueueTransactions.ts"

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const reads = yield* companyReads
  const inTurn = yield* queueTransactionsInTurn(sql)
  const read = eventReader(sql)

  const list = Effect.fnUntraced(function* (companyId: CompanyId, { after, limit, type }: EventsWanted) {
    const query = reads(companyId)
    const rows = yield* query<{ readonly last_event: bigint } & (EventRow | { readonly sequence: null })>`
      select b.last_event, shown.*
      from ${sql.cell}.balance as b
      left join lateral (
        select ${sql.literal(eventColumns)}
        from ${sql.cell}.event as e
        where e.company_id = b.company_id
          and e.sequence > ${int8(after)}
          ${type === undefined ? sql.literal("") : sql`and e.type = ${type}`}
        order by e.sequence
        limit ${limit}
      ) as shown on true
      where b.company_id = ${int8(companyId)}
      order by shown.sequence`
    const events = yield* read(
      rows.flatMap((row) => (row.sequence === null ? [] : [row])),
      query
    )
    return { events, next: nextAfter(after, limit, events, Number(rows[0]?.last_event ?? 0)) }
  }, Effect.orDie)

  const turnedOn = Effect.fnUntraced(function* (companies: ReadonlyArray<CompanyId>) {
    const rows = yield* sql<{ company_id: bigint }>`
      select company_id
      from ${sql.cell}.balance
      where events_on and company_id = any (${companies.map(String)}::text[]::bigint[])`
    return new Set(rows.map(({ company_id }) => CompanyId.make(Number(company_id))))
  }, Effect.orDie)

  const turn = (companyId: CompanyId, on: boolean, at: DateTime.Utc) =>
    Effect.orDie(Effect.asVoid(sql`select ${sql.cell}.turn_events(${int8(companyId)}, ${on}, ${instant(at)})`))

  /**
   * Deletes old rows of the given owners. The primary key is the owner and the sequence, and a row with a higher sequence has a
   * later time. Therefore the old rows of an owner are its first rows in the index, and the statement does not scan the table.
   *
   * @param owners a query for the keys of the owners, `o`.
   * @param ofOwner the condition that a row `t` belongs to `o`.
   */
  const purgeOf = (
    table: "delivery" | "event",
    { ofOwner, owners }: { readonly owners: Fragment; readonly ofOwner: Fragment },
    before: DateTime.Utc,
    limit: number
  ) => {
    const oldest = (rows: number) => sql`
      select t.ctid, t.created_at
      from ${sql.cell}.${sql.literal(table)} as t
      where ${ofOwner}
      order by t.sequence
      limit ${rows}`
    const deleted = sql`
      delete from ${sql.cell}.${sql.literal(table)}
      where ctid = any (
        array(
          select old.ctid
          from (${owners}) as o
          cross join lateral (${oldest(limit)}) as old
          where (select first.created_at from (${oldest(1)}) as first) < ${instant(before)}
            and old.created_at < ${instant(before)}
          limit ${limit}
        )
      )
      returning 1`
    return Effect.map(inTurn(deleted), ({ length }) => length)
  }

  const deliveries = {
    owners: sql`select w.company_id, w.id from ${sql.cell}.webhook as w where ${isOpen(sql, "w")}`,
    ofOwner: sql`t.company_id = o.company_id and t.webhook_id = o.id`
  }
  const events = {
    owners: sql`select b.company_id from ${sql.cell}.balance as b where not b.closed`,
    ofOwner: sql`t.company_id = o.company_id`
  }

  // A delivery has the time of its event, so both tables are purged by the same limit. Deliveries come first, because a
  // due delivery without its event cannot be sent.
  const purge = Effect.fnUntraced(function* (before: DateTime.Utc, limit: number) {
    const purged = yield* purgeOf("delivery", deliveries, before, limit)
    return purged >= limit ? purged : yield* purgeOf("event", events, before, limit)
  }, Effect.orDie)

  return Events.of({ list, turnedOn, turn, purge })
})

export const layer = Layer.effect(Events, make)
