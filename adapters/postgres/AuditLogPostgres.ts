import { PgClient, PgTypes } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { type AuditEvent, AuditLog } from "../../core/ports/AuditLog.ts"
import { instant, int8 } from "./Parameters.ts"

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return AuditLog.of({
    record: ({ action, at, companyId, details, tokenId }: AuditEvent) =>
      Effect.orDie(
        Effect.asVoid(sql`
        insert into directory.audit_event (at, action, company_id, token_id, details)
        values (
          ${instant(at)}, ${action}, ${int8(companyId)}, ${int8(tokenId)}, ${PgTypes.jsonb(details)}
        )`)
      )
  })
})

/** The audit log in Postgres, append-only by a trigger. */
export const layer = Layer.effect(AuditLog, make)
