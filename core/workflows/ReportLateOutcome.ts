import { DateTime, Effect } from "effect"
import type { CompanyId, TransactionId } from "../domain/Ids.ts"
import type { LateOutcome } from "../domain/LateOutcome.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { InFlight } from "./InFlight.ts"
import { retryWrite } from "./RetryWrite.ts"

/** An answer that came late: about what, how that stands, and what was said, when. */
interface Late {
  readonly transactionId: TransactionId
  readonly xid: string
  readonly status: string
  readonly verdict: { readonly _tag: string }
  readonly answeredAt: DateTime.Utc
}

/**
 * Reports an answer that contradicts what was settled. No money moves any more: a person has to look. The alert reads
 * the audit log, and nobody asks again about what is settled, so the record is retried for as long as the process
 * lives; in the background, because other operations wait to be recovered.
 */
export const reportLateOutcome = Effect.fnUntraced(function* (kind: LateOutcome, companyId: CompanyId, late: Late) {
  const { answeredAt, status, transactionId, verdict, xid } = late
  yield* Effect.logError(kind, { xid, transactionId, status })
  const log = yield* AuditLog
  const details = { transactionId, xid, status, verdict, answeredAt: DateTime.formatIso(answeredAt) }
  const event = { at: yield* DateTime.now, action: kind, companyId, tokenId: null, details }
  const { start } = yield* InFlight
  yield* start(retryWrite(() => log.record(event), Effect.void, { xid }))
})
