import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Layer, Option } from "effect"
import { serverActor } from "../../../core/domain/Operator.ts"
import { type AuditEvent, AuditLog } from "../../../core/ports/AuditLog.ts"
import { instant, int8 } from "../connection/Sql.ts"
import { bestEffortClient } from "../grouping/BestEffortWrites.ts"

const make = Effect.gen(function* () {
  const sales = yield* PgClient.PgClient
  const notes = yield* bestEffortClient

  // Inside a transaction, writes with that transaction. Otherwise uses the connection for best-effort writes, where it
  // delays no sale.
  const writing = Effect.map(Effect.serviceOption(sales.transactionService), (transaction) =>
    Option.isSome(transaction) ? sales : notes
  )

  return AuditLog.of({
    record: ({ action, actor = serverActor, at, companyId, details, once, tokenId }: AuditEvent) =>
      Effect.flatMap(
        writing,
        (sql) => sql`
          insert into directory.audit_event (
            at, action, company_id, token_id, details, once, actor_id, actor, via, address
          )
          values (
            ${instant(at)}, ${action}, ${int8(companyId)}, ${int8(tokenId)}, ${PgTypes.jsonb(details)},
            ${once ?? null}, ${int8(actor.id)}, ${actor.name}, ${actor.via}, ${actor.address}
          )
          on conflict do nothing`
      ).pipe(Effect.asVoid, Effect.orDie)
  })
})

/** `AuditLog` in Postgres. A trigger makes it append-only. */
export const layer = Layer.effect(AuditLog, make)
