import { type DateTime, Effect, Layer } from "effect"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { Events, type EventsWanted } from "../../../core/ports/Events.ts"
import { cellClient, isOpen } from "../connection/Cell.ts"
import { companyReads } from "../connection/CompanyReads.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { type EventRow, eventColumns, eventReader } from "./EventRows.ts"

const make = Effect.gen(function* () {
  const sql = yield* cellClient
  const reads = yield* companyReads
  const read = eventReader(sql)

  const list = Effect.fnUntraced(function* (companyId: CompanyId, { after, limit, type }: EventsWanted) {
    const query = reads(companyId)
    const rows = yield* query<EventRow>`
      select ${sql.literal(eventColumns)}
      from ${sql.cell}.event as e
      where e.company_id = ${int8(companyId)}
        and e.sequence > ${int8(after)}
        ${type === undefined ? sql.literal("") : sql`and e.type = ${type}`}
      order by e.sequence
      limit ${limit}`
    return yield* read(rows, query)
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

  const purgeOf = (table: "delivery" | "event", before: DateTime.Utc, limit: number) => sql<{ n: number }>`
    with purged as (
      delete from ${sql.cell}.${sql.literal(table)}
      where ctid = any (
        array(
          select t.ctid
          from ${sql.cell}.${sql.literal(table)} as t
          where t.created_at < ${instant(before)} and ${isOpen(sql, "t")}
          limit ${limit}
        )
      )
      returning 1
    )
    select count(*)::int as n from purged`

  // A delivery has the time of its event, so both tables are purged by the same limit.
  const purge = Effect.fnUntraced(function* (before: DateTime.Utc, limit: number) {
    const [deliveries] = yield* purgeOf("delivery", before, limit)
    const [events] = yield* purgeOf("event", before, limit)
    return Math.max(deliveries?.n ?? 0, events?.n ?? 0)
  }, Effect.orDie)

  return Events.of({ list, turnedOn, turn, purge })
})

export const layer = Layer.effect(Events, make)
