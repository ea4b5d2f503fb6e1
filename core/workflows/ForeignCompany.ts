import { DateTime, Effect } from "effect"
import type { Session } from "../domain/Access.ts"
import { Forbidden } from "../domain/Errors.ts"
import { AuditLog } from "../ports/AuditLog.ts"

/**
 * Checks the company id in a body. The token's own company is accepted. Any other is refused and recorded in the audit
 * log. Contract: 5.
 *
 * @param named company id in the body.
 */
export const refuseForeign = Effect.fnUntraced(function* ({ company, token }: Session, named: number) {
  if (named === company.id) return
  const log = yield* AuditLog
  yield* log.record({
    at: yield* DateTime.now,
    action: "foreign_company",
    companyId: company.id,
    tokenId: token.id,
    details: { empresa_id: named }
  })
  return yield* new Forbidden({ why: "foreign_company" })
})
