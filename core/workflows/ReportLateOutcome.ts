import { DateTime, Effect } from "effect"
import type { CompanyId, TransactionId } from "../domain/Ids.ts"
import type { LateOutcome } from "../domain/LateOutcome.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { InFlight } from "./InFlight.ts"
import { retryWrite } from "./RetryWrite.ts"

/** A late answer: its subject, the settled status, the answer and its time. */
interface Late {
  readonly transactionId: TransactionId
  readonly xid: string
  readonly status: string
  readonly verdict: { readonly _tag: string }
  readonly answeredAt: DateTime.Utc
}

/**
 * Reports an answer that contradicts the settled outcome. No money moves: an operator must look. The alert reads the
 * audit log, and recovery does not ask about settled operations again. So the record is retried for the life of the
 * process, in the background.
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
