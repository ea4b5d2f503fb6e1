import { Effect } from "effect"
import { type Order, Verdict } from "../domain/Sale.ts"
import { Ledger, type Settled, type Settlement } from "../ports/Ledger.ts"
import { countSale } from "../telemetry/SaleMetrics.ts"
import { reportLateOutcome } from "./ReportLateOutcome.ts"
import { settlingBy } from "./Settling.ts"

/** Settles a sale. */
export const { settle, settleInFlight, settleOnce } = settlingBy(
  "Settle",
  ({ xid }: Order) => xid,
  (order, verdict: Verdict, circumstances) => write({ order, verdict, ...circumstances })
)

const write = Effect.fnUntraced(function* (settlement: Settlement) {
  const ledger = yield* Ledger
  const settled = yield* ledger.settle(settlement)
  const { order, verdict } = settlement
  // A pending sale may be held again after each question. The call that sold it counts it once.
  if (settled.won && settled.status !== "PENDING") yield* countSale(settled.status, order.service.type)
  if (contradicts(verdict, settled)) yield* alert(settlement, settled)
  return settled
})

/** Whether another process settled the sale the other way: goods without payment, or payment without goods. */
const contradicts = (verdict: Verdict, { status, won }: Settled): boolean =>
  !won &&
  Verdict.$match(verdict, {
    Confirm: () => status === "FAILED",
    Release: () => status === "SUCCESS",
    Free: () => status === "SUCCESS",
    Hold: () => false
  })

const alert = ({ at, order, verdict }: Settlement, { status }: Settled) => {
  const { companyId, transactionId, xid } = order
  const kind = verdict._tag === "Confirm" ? "late_success" : "late_refusal"
  return reportLateOutcome(kind, companyId, { transactionId, xid, status, verdict, answeredAt: at })
}
