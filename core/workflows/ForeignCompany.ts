import { DateTime, Effect } from "effect"
import type { Session } from "../domain/Access.ts"
import { Forbidden } from "../domain/Errors.ts"
import { AuditLog } from "../ports/AuditLog.ts"

/**
 * A caller's company follows from its token. Naming that one changes nothing; naming another is refused, and
 * remembered. Contract: 5.
 *
 * @param named the id of the company that the call names.
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
