import { DateTime, Effect } from "effect"
import type { LateOutcome } from "../domain/AuditAction.ts"
import type { CompanyId, TransactionId } from "../domain/Ids.ts"
import type { Count } from "../domain/Recovery.ts"
import { ReversalVerdict, type UnresolvedReversal } from "../domain/Reversal.ts"
import { type Order, Verdict } from "../domain/Sale.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { Ledger, type Settled, type Settlement } from "../ports/Ledger.ts"
import { type ReversalSettled, type ReversalSettlement, Reversals } from "../ports/Reversals.ts"
import { countSale } from "../telemetry/Metrics.ts"
import { withSpan } from "../telemetry/Spans.ts"
import { InFlight, retryWrite } from "./InFlight.ts"

/** A late answer: the sale or reversal, its settled status, the answer and the time of the answer. */
interface LateAnswer {
  readonly transactionId: TransactionId
  readonly xid: string
  readonly status: string
  readonly verdict: { readonly _tag: string }
  readonly answeredAt: DateTime.Utc
}

/**
 * Reports an answer that contradicts the settled outcome. No money moves; an operator must investigate. The alert needs
 * the record in the audit log. Saldo rarely asks about a settled operation, so a lost record might never be replaced.
 * Therefore the write is retried. A contradiction that is found several times is recorded once.
 */
export const reportLateOutcome = Effect.fnUntraced(function* (
  kind: LateOutcome,
  companyId: CompanyId,
  late: LateAnswer
) {
  const { answeredAt, status, transactionId, verdict, xid } = late
  yield* Effect.logError("a late answer contradicts the settled outcome", { kind, xid, transactionId, status })
  const log = yield* AuditLog
  const details = { transactionId, xid, status, verdict, answeredAt: DateTime.formatIso(answeredAt) }
  const once = `${kind} ${transactionId} ${xid}`
  const event = { at: yield* DateTime.now, action: kind, companyId, tokenId: null, details, once }
  yield* retryWrite(() => log.record(event), Effect.void, { xid })
})

/** Reports a late outcome in the background, so that the caller of the settlement does not wait. */
const startReport = (...report: Parameters<typeof reportLateOutcome>) =>
  InFlight.use(({ start }) => start(reportLateOutcome(...report)))

/** The fields of a settlement other than its subject and verdict. */
type Circumstances = Pick<Settlement, "at" | "claimedAt" | "notFound" | "toldPending">

/**
 * Makes three functions that settle a sale, or three functions that settle a reversal.
 *
 * @param name prefix of the spans.
 * @param write writes the verdict. Idempotent: finds its own earlier commit.
 */
const makeSettlement = <Subject, Verdict, Settled, R>(
  name: string,
  xidOf: (subject: Subject) => string,
  write: (subject: Subject, verdict: Verdict, circumstances: Circumstances) => Effect.Effect<Settled, never, R>
) => ({
  /**
   * Writes the verdict and retries while the database is unavailable, so that the provider's answer is not lost. After
   * 5 s the caller gets the response "pending", which the key then replays. Contract: 3.1.
   *
   * @param onDelay sends the response "pending" to the caller.
   */
  settle: withSpan(
    `${name}.settle`,
    Effect.fnUntraced(function* (subject: Subject, verdict: Verdict, onDelay: Effect.Effect<void>) {
      const at = yield* DateTime.now
      const settling = (toldPending: boolean) => write(subject, verdict, { at, notFound: 0, toldPending })
      return yield* retryWrite(settling, onDelay, { xid: xidOf(subject) })
    })
  ),

  /** Writes the verdict even if the caller disconnects. The caller waits for the write. */
  settleInFlight: Effect.fnUntraced(function* (subject: Subject, verdict: Verdict) {
    const { run } = yield* InFlight
    const at = yield* DateTime.now
    const settling = () => write(subject, verdict, { at, notFound: 0 })
    return yield* run(retryWrite(settling, Effect.void, { xid: xidOf(subject) }))
  }),

  /**
   * Writes the verdict without retries. For callers that can ask the provider again later. An unavailable database is a
   * defect here.
   */
  settleOnce: withSpan(
    `${name}.settleOnce`,
    Effect.fnUntraced(function* (subject: Subject, verdict: Verdict, count: Count) {
      return yield* write(subject, verdict, { at: yield* DateTime.now, ...count })
    })
  )
})

/** Settles a sale. */
export const { settle, settleInFlight, settleOnce } = makeSettlement(
  "Settle",
  ({ xid }: Order) => xid,
  (order, verdict: Verdict, circumstances) => writeSale({ order, verdict, ...circumstances })
)

const writeSale = Effect.fnUntraced(function* (settlement: Settlement) {
  const ledger = yield* Ledger
  const settled = yield* ledger.settle(settlement)
  const { order, verdict } = settlement
  // A sale in PENDING is not counted here, because recovery may write PENDING again after each question. The call that
  // made the sale counts it once.
  if (settled.won && settled.status !== "PENDING") yield* countSale(settled.status, order.service.type)
  if (contradictsSale(verdict, settled)) yield* reportLateSale(settlement, settled)
  return settled
})

/**
 * Whether another process settled the sale with the opposite outcome: goods without payment, or payment without goods.
 */
const contradictsSale = (verdict: Verdict, { isRepeated, status, won }: Settled): boolean =>
  !won &&
  !isRepeated &&
  Verdict.$match(verdict, {
    Confirm: () => status === "FAILED",
    Release: () => status === "SUCCESS",
    Free: () => status === "SUCCESS",
    Hold: () => false
  })

const reportLateSale = ({ at, order, verdict }: Settlement, { status }: Settled) => {
  const { companyId, transactionId, xid } = order
  const kind = verdict._tag === "Confirm" ? "late_success" : "late_refusal"
  return startReport(kind, companyId, { transactionId, xid, status, verdict, answeredAt: at })
}

/** Settles a reversal. */
export const {
  settle: settleReversal,
  settleInFlight: settleReversalInFlight,
  settleOnce: settleReversalOnce
} = makeSettlement(
  "SettleReversal",
  ({ reversal }: UnresolvedReversal) => reversal.xid,
  (unresolved, verdict: ReversalVerdict, circumstances) => writeReversal({ unresolved, verdict, ...circumstances })
)

const writeReversal = Effect.fnUntraced(function* (settlement: ReversalSettlement) {
  const reversals = yield* Reversals
  const settled = yield* reversals.settle(settlement)
  const { order } = settlement.unresolved.reversal
  if (settled.won && settled.status === "CONFIRMED") yield* countSale("REVERSED", order.service.type)
  if (contradictsReversal(settlement.verdict, settled)) yield* reportLateReversal(settlement, settled)
  return settled
})

/**
 * Whether another process settled the reversal with the opposite outcome, so that Saldo's ledger and the provider
 * disagree.
 */
const contradictsReversal = (verdict: ReversalVerdict, { isRepeated, status, won }: ReversalSettled): boolean =>
  !won &&
  !isRepeated &&
  ReversalVerdict.$match(verdict, {
    Confirm: () => status === "DENIED",
    Deny: () => status === "CONFIRMED",
    Free: () => status === "CONFIRMED",
    Hold: () => false
  })

const reportLateReversal = (
  { at, unresolved: { reversal }, verdict }: ReversalSettlement,
  { status }: ReversalSettled
) => {
  const { companyId, transactionId } = reversal.order
  const kind = verdict._tag === "Confirm" ? "late_reversal" : "late_reversal_refusal"
  return startReport(kind, companyId, { transactionId, xid: reversal.xid, status, verdict, answeredAt: at })
}
