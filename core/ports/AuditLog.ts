import { Context, type DateTime, type Effect } from "effect"
import type { AuditAction } from "../domain/AuditAction.ts"
import type { CompanyId, TokenId } from "../domain/Ids.ts"

/** Something that somebody may have to answer for later. */
export interface AuditEvent {
  readonly at: DateTime.Utc
  readonly action: AuditAction
  readonly companyId: CompanyId | null
  readonly tokenId: TokenId | null
  readonly details: Readonly<Record<string, unknown>>
}

/** The operator's append-only record: foreign company ids, contradictions of a provider, changes by hand. */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    readonly record: (event: AuditEvent) => Effect.Effect<void>
  }
>()("saldo/core/AuditLog") {}
