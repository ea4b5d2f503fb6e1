import { DateTime, Effect } from "effect"
import type { AuditAction } from "../domain/AuditAction.ts"
import type { CompanyId, TokenId } from "../domain/Ids.ts"
import { Atomic } from "../ports/Atomic.ts"
import { AuditLog } from "../ports/AuditLog.ts"

/** Leaves a trace of what the operator changed. */
export const byHand = Effect.fn("ByHand.byHand")(function* (
  action: AuditAction,
  whom: { readonly companyId?: CompanyId; readonly tokenId?: TokenId },
  details: Readonly<Record<string, unknown>> = {}
) {
  const log = yield* AuditLog
  yield* log.record({
    at: yield* DateTime.now,
    action,
    companyId: whom.companyId ?? null,
    tokenId: whom.tokenId ?? null,
    details
  })
})

/** A change and its trace: both are kept, or neither, also when the process dies in between. */
export const together = <A, E, R>(changeAndTrace: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Atomic, (atomic) => atomic.together(changeAndTrace))
