import { Effect } from "effect"
import { ReversalVerdict, type UnderReversal } from "../domain/Reversal.ts"
import { type ReversalSettled, type ReversalSettlement, Reversals } from "../ports/Reversals.ts"
import { countSale } from "../telemetry/SaleMetrics.ts"
import { reportLateOutcome } from "./ReportLateOutcome.ts"
import { settlingBy } from "./Settling.ts"

/** Settles a reversal. */
export const {
  settle: settleReversal,
  settleInFlight: settleReversalInFlight,
  settleOnce: settleReversalOnce
} = settlingBy(
  "SettleReversal",
  ({ reversal }: UnderReversal) => reversal.xid,
  (under, verdict: ReversalVerdict, circumstances) => write({ under, verdict, ...circumstances })
)

const write = Effect.fnUntraced(function* (settlement: ReversalSettlement) {
  const reversals = yield* Reversals
  const settled = yield* reversals.settle(settlement)
  const { order } = settlement.under.reversal
  if (settled.won && settled.status === "CONFIRMED") yield* countSale("REVERSED", order.service.type)
  if (contradicts(settlement.verdict, settled)) yield* alert(settlement, settled)
  return settled
})

/** Whether another process settled the reversal the other way, so that our books and the provider disagree. */
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
