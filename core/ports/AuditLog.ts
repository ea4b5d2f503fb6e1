import { Context, type DateTime, type Effect } from "effect"
import type { AuditAction } from "../domain/AuditAction.ts"
import type { CompanyId, TokenId } from "../domain/Ids.ts"
import type { Actor } from "../domain/Operator.ts"

/** An event of the audit log. */
export interface AuditEvent {
  readonly at: DateTime.Utc
  readonly action: AuditAction
  readonly companyId: CompanyId | null
  readonly tokenId: TokenId | null
  /** The operator who acted. Absent if the service acted by itself. */
  readonly actor?: Actor
  readonly details: Readonly<Record<string, unknown>>
  /** If given, a second event with the same text is not recorded. */
  readonly once?: string
}

/**
 * The append-only audit log: access to another company's data, contradictory answers of providers, changes by
 * operators.
 */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    readonly record: (event: AuditEvent) => Effect.Effect<void>
  }
>()("saldo/core/AuditLog") {}
