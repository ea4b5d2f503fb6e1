import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { CompanyId, TokenId } from "../../../core/domain/Ids.ts"
import { instantsOf } from "../../../core/domain/LocalTime.ts"
import { type Actor, OperatorId } from "../../../core/domain/Operator.ts"
import { AuditEvents, type AuditFilter, type RecordedEvent } from "../../../core/ports/AuditEvents.ts"
import { instant, int8 } from "../connection/Sql.ts"

interface EventRow {
  readonly id: bigint
  readonly at: Date
  readonly action: string
  readonly company_id: bigint | null
  readonly token_id: bigint | null
  readonly actor_id: bigint | null
  readonly actor: string | null
  readonly via: Actor["via"]
  readonly address: string | null
  readonly details: Readonly<Record<string, unknown>>
}

const recordedOf = ({ action, actor, actor_id, address, at, company_id, details, id, token_id, via }: EventRow) =>
  ({
    id: Number(id),
    at: DateTime.fromDateUnsafe(at),
    action,
    companyId: company_id === null ? null : CompanyId.make(Number(company_id)),
    tokenId: token_id === null ? null : TokenId.make(Number(token_id)),
    actor:
      actor === null
        ? null
        : { id: actor_id === null ? null : OperatorId.make(Number(actor_id)), name: actor, via, address },
    details
  }) satisfies RecordedEvent

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  /** Each condition has its own index, ordered by time. */
  const conditionsOf = (filter: AuditFilter, before: number | undefined) => {
    const { action, actor, address, companyId, transactionId, via } = filter
    const { since, until } = instantsOf(filter)
    return [
      ...(action === undefined ? [] : [sql`e.action = ${action}`]),
      ...(actor === undefined
        ? []
        : [
            sql`upper(lower(e.actor collate "pg_unicode_fast")) = upper(lower(${actor}::text collate "pg_unicode_fast"))`
          ]),
      ...(companyId === undefined ? [] : [sql`e.company_id = ${int8(companyId)}`]),
      ...(transactionId === undefined
        ? []
        : [sql`e.details ? 'transactionId' and (e.details ->> 'transactionId')::bigint = ${int8(transactionId)}`]),
      ...(via === undefined ? [] : [sql`e.via = ${via}`]),
      ...(address === undefined ? [] : [sql`e.address = ${address}`]),
      ...(since === undefined ? [] : [sql`e.at >= ${instant(since)}`]),
      ...(until === undefined ? [] : [sql`e.at < ${instant(until)}`]),
      ...(before === undefined
        ? []
        : [
            sql`(e.at, e.id) < ((select at from directory.audit_event where id = ${int8(before)}), ${int8(before)}::bigint)`
          ])
    ]
  }

  return AuditEvents.of({
    page: Effect.fnUntraced(function* (filter, before, limit) {
      const rows = yield* sql<EventRow>`
        select e.id, e.at, e.action, e.company_id, e.token_id, e.actor_id, e.actor, e.via, e.address, e.details
        from directory.audit_event as e
        where ${sql.and(conditionsOf(filter, before))}
        order by e.at desc, e.id desc
        limit ${limit + 1}`
      const items = rows.slice(0, limit).map(recordedOf)
      return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
    }, Effect.orDie)
  })
})

export const layer = Layer.effect(AuditEvents, make)
