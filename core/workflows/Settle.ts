import { DateTime, Effect } from "effect"
import { type Order, Verdict } from "../domain/Sale.ts"
import { Ledger, type Settled, type Settlement } from "../ports/Ledger.ts"
import { countSale } from "../telemetry/SaleMetrics.ts"
import { spanWhenTraced } from "../telemetry/SpanWhenTraced.ts"
import { InFlight } from "./InFlight.ts"
import { reportLateOutcome } from "./ReportLateOutcome.ts"
import { retryWrite } from "./RetryWrite.ts"

/**
 * Writes what became of a sale. When the database is gone the provider's answer must not be: the work goes on, and a
 * caller who has waited long enough is told that the sale is pending; the key then replays that. Contract: 3.1.
 *
 * @param onDelay answers the caller so.
 */
export const settle = Effect.fnUntraced(function* (order: Order, verdict: Verdict, onDelay: Effect.Effect<void>) {
  const at = yield* DateTime.now
  const settling = (toldPending: boolean) => write({ order, verdict, at, notFound: 0, toldPending })
  return yield* retryWrite(settling, onDelay, { xid: order.xid })
}, spanWhenTraced("Settle.settle"))

/** The same whatever becomes of the caller, who waits until it is written, however long that takes. */
export const settleInFlight = Effect.fnUntraced(function* (order: Order, verdict: Verdict) {
  const { run } = yield* InFlight
  const at = yield* DateTime.now
  return yield* run(retryWrite(() => write({ order, verdict, at, notFound: 0 }), Effect.void, { xid: order.xid }))
})

/** The same for whoever can ask again: a database that is gone is a defect. */
export const settleOnce = Effect.fnUntraced(function* (order: Order, verdict: Verdict, notFound: number) {
  return yield* write({ order, verdict, at: yield* DateTime.now, notFound })
}, spanWhenTraced("Settle.settleOnce"))

const write = Effect.fnUntraced(function* (settlement: Settlement) {
  const ledger = yield* Ledger
  const settled = yield* ledger.settle(settlement)
  const { order, verdict } = settlement
  // One that was pending may be held again at each question; whoever sold it counts it once.
  if (settled.won && settled.status !== "PENDING") yield* countSale(settled.status, order.service.type)
  if (contradicts(verdict, settled)) yield* alert(settlement, settled)
  return settled
})

/** Another settled the sale the other way: goods without money, or money without goods. */
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
