import { DateTime, Effect } from "effect"
import type { AuditAction } from "../domain/AuditAction.ts"
import type { CompanyId, TokenId } from "../domain/Ids.ts"
import { may, type OperatorAction } from "../domain/Operator.ts"
import { NotAllowed } from "../domain/OperatorErrors.ts"
import { Atomic } from "../ports/Atomic.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { CurrentActor } from "../ports/CurrentActor.ts"

/** Returns the current actor. Fails if its role may not take the action. Every change by an operator begins with this check. */
export const requireAction = Effect.fnUntraced(function* (action: OperatorAction) {
  const actor = yield* CurrentActor
  if (may(actor.role, action)) return actor
  return yield* new NotAllowed({ action, role: actor.role, isSignedIn: actor.id !== null })
})

/**
 * Records an action in the audit log, with the current actor.
 *
 * @param once if given, a second record with the same text is not stored.
 */
export const recordAudit = Effect.fn("AuditTrail.recordAudit")(function* (
  action: AuditAction,
  subject: { readonly companyId?: CompanyId; readonly tokenId?: TokenId },
  details: Readonly<Record<string, unknown>> = {},
  once?: string
) {
  const log = yield* AuditLog
  yield* log.record({
    at: yield* DateTime.now,
    action,
    companyId: subject.companyId ?? null,
    tokenId: subject.tokenId ?? null,
    actor: yield* CurrentActor,
    details,
    ...(once !== undefined && { once })
  })
})

/** Runs a change and its audit record in one transaction: both are committed, or neither. */
export const atomically = <A, E, R>(changeAndRecord: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Atomic, (atomic) => atomic.transact(changeAndRecord))
