import { PgClient, PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Layer } from "effect"
import { type AuditEvent, AuditLog } from "../../core/ports/AuditLog.ts"

const id = (value: number | null) => PgTypes.int8(value === null ? null : BigInt(value))

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return AuditLog.of({
    record: ({ action, at, companyId, details, tokenId }: AuditEvent) =>
      Effect.orDie(
        Effect.asVoid(sql`
        insert into directory.audit_event (at, action, company_id, token_id, details)
        values (
          ${DateTime.formatIso(at)}::timestamptz, ${action}, ${id(companyId)}, ${id(tokenId)}, ${PgTypes.jsonb(details)}
        )`)
      )
  })
})

/** The audit log in Postgres, append-only by a trigger. */
export const layer = Layer.effect(AuditLog, make)
