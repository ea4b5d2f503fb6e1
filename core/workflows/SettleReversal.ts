import { DateTime, Effect } from "effect"
import { ReversalVerdict, type UnderReversal } from "../domain/Reversal.ts"
import { type ReversalSettled, type ReversalSettlement, Reversals } from "../ports/Reversals.ts"
import { countSale } from "../telemetry/SaleMetrics.ts"
import { InFlight } from "./InFlight.ts"
import { reportLateOutcome } from "./ReportLateOutcome.ts"
import { retryWrite } from "./RetryWrite.ts"

/**
 * Writes what became of a reversal. When the database is gone the provider's answer must not be: the work goes on, and
 * a caller who has waited long enough is told that the reversal is pending; the key then replays that.
 *
 * @param onDelay answers the caller so.
 */
export const settleReversal = Effect.fn("SettleReversal.settleReversal")(function* (
  under: UnderReversal,
  verdict: ReversalVerdict,
  onDelay: Effect.Effect<void>
) {
  const at = yield* DateTime.now
  const settling = (toldPending: boolean) => write({ under, verdict, at, notFound: 0, toldPending })
  return yield* retryWrite(settling, onDelay, { xid: under.reversal.xid })
})

/** The same whatever becomes of the caller, who waits until it is written, however long that takes. */
export const settleReversalInFlight = Effect.fnUntraced(function* (under: UnderReversal, verdict: ReversalVerdict) {
  const { run } = yield* InFlight
  const at = yield* DateTime.now
  const settling = () => write({ under, verdict, at, notFound: 0 })
  return yield* run(retryWrite(settling, Effect.void, { xid: under.reversal.xid }))
})

/** The same for whoever can ask again: a database that is gone is a defect. */
export const settleReversalOnce = Effect.fn("SettleReversal.settleReversalOnce")(function* (
  under: UnderReversal,
  verdict: ReversalVerdict,
  notFound: number
) {
  return yield* write({ under, verdict, at: yield* DateTime.now, notFound })
})

const write = Effect.fnUntraced(function* (settlement: ReversalSettlement) {
  const reversals = yield* Reversals
  const settled = yield* reversals.settle(settlement)
  const { order } = settlement.under.reversal
  if (settled.won && settled.status === "CONFIRMED") yield* countSale("REVERSED", order.service.type)
  if (contradicts(settlement.verdict, settled)) yield* alert(settlement, settled)
  return settled
})

/** Another settled the reversal the other way: the money is not where the provider says. */
const contradicts = (verdict: ReversalVerdict, { status, won }: ReversalSettled): boolean =>
  !won &&
  ReversalVerdict.$match(verdict, {
    Confirm: () => status === "DENIED",
    Deny: () => status === "CONFIRMED",
    Free: () => status === "CONFIRMED",
    Hold: () => false
  })

const alert = ({ at, under: { reversal }, verdict }: ReversalSettlement, { status }: ReversalSettled) => {
  const { companyId, transactionId } = reversal.order
  const kind = verdict._tag === "Confirm" ? "late_reversal" : "late_reversal_refusal"
  return reportLateOutcome(kind, companyId, { transactionId, xid: reversal.xid, status, verdict, answeredAt: at })
}
