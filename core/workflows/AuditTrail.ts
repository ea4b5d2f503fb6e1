import { DateTime, Effect } from "effect"
import type { AuditAction } from "../domain/AuditAction.ts"
import type { CompanyId, TokenId } from "../domain/Ids.ts"
import { Atomic } from "../ports/Atomic.ts"
import { AuditLog } from "../ports/AuditLog.ts"

/** Records an operator's action in the audit log. */
export const recordAudit = Effect.fn("AuditTrail.recordAudit")(function* (
  action: AuditAction,
  subject: { readonly companyId?: CompanyId; readonly tokenId?: TokenId },
  details: Readonly<Record<string, unknown>> = {}
) {
  const log = yield* AuditLog
  yield* log.record({
    at: yield* DateTime.now,
    action,
    companyId: subject.companyId ?? null,
    tokenId: subject.tokenId ?? null,
    details
  })
})

/** Runs a change and its audit record in one transaction: both are committed, or neither. */
export const atomically = <A, E, R>(changeAndRecord: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Atomic, (atomic) => atomic.transact(changeAndRecord))
