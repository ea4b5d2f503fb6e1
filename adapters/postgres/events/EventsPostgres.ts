import { type DateTime, Effect, Layer } from "effect"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Events, type EventsWanted, nextAfter } from "../../../core/ports/Events.ts"
import { cellClient, isOpen } from "../connection/Cell.ts"
import { companyReads } from "../connection/CompanyReads.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { queueTransactions } from "./DeliveryResults.ts"
import { type EventRow, eventColumns, eventReader } from "./EventRows.ts"

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const reads = yield* companyReads
  const inTransaction = queueTransactions(sql)
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

  // Times rise with the sequence. Therefore both statements find the old rows at the beginning of the primary key, and do
  // not search the whole table for them.
  const purgeDeliveries = (before: DateTime.Utc, limit: number) => sql`
    delete from ${sql.cell}.delivery
    where ctid = any (
      array(
        select t.ctid
        from (
          select w.company_id, w.id
          from ${sql.cell}.webhook as w
          where ${isOpen(sql, "w")}
            and (
              select d.created_at
              from ${sql.cell}.delivery as d
              where d.company_id = w.company_id and d.webhook_id = w.id
              order by d.sequence
              limit 1
            ) < ${instant(before)}
        ) as w
        cross join lateral (
          select d.ctid, d.created_at
          from ${sql.cell}.delivery as d
          where d.company_id = w.company_id and d.webhook_id = w.id
          order by d.sequence
          limit ${limit}
        ) as t
        where t.created_at < ${instant(before)}
        limit ${limit}
      )
    )
    returning 1`

  const purgeEvents = (before: DateTime.Utc, limit: number) => sql`
    delete from ${sql.cell}.event
    where ctid = any (
      array(
        select t.ctid
        from (
          select b.company_id
          from ${sql.cell}.balance as b
          where not b.closed
            and (
              select e.created_at
              from ${sql.cell}.event as e
              where e.company_id = b.company_id
              order by e.sequence
              limit 1
            ) < ${instant(before)}
        ) as b
        cross join lateral (
          select e.ctid, e.created_at
          from ${sql.cell}.event as e
          where e.company_id = b.company_id
          order by e.sequence
          limit ${limit}
        ) as t
        where t.created_at < ${instant(before)}
        limit ${limit}
      )
    )
    returning 1`

  // A delivery has the time of its event, so both tables are purged by the same limit. Deliveries come first, because a
  // due delivery without its event cannot be sent.
  const purge = Effect.fnUntraced(function* (before: DateTime.Utc, limit: number) {
    const { length: deliveries } = yield* inTransaction(purgeDeliveries(before, limit))
    if (deliveries >= limit) return deliveries
    return (yield* inTransaction(purgeEvents(before, limit))).length
  }, Effect.orDie)

  return Events.of({ list, turnedOn, turn, purge })
})

export const layer = Layer.effect(Events, make)
