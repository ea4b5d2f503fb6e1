import { DateTime } from "effect"
import { nextAsk } from "../../core/domain/Recovery.ts"
import { outcomeOf } from "../../core/domain/Sale.ts"
import type { Settlement } from "../../core/ports/Ledger.ts"
import { encodeOutcome } from "./OutcomeJson.ts"

/** A settlement as cell.settle unpacks it. */
export const settleRow = ({ at, notFound, order, verdict }: Settlement, n: number) => {
  const outcome = outcomeOf(order, verdict, at)
  const delivery = verdict._tag === "Confirm" ? verdict.delivery : null
  return {
    n,
    company_id: order.companyId,
    transaction_id: order.transactionId,
    verdict: verdict._tag,
    auth_code: delivery?.authCode ?? null,
    recharge_token: delivery?.rechargeToken ?? null,
    valid_from: delivery?.validity?.from ?? null,
    valid_until: delivery?.validity?.until ?? null,
    refusal: verdict._tag === "Release" ? verdict.refusal : null,
    outcome: outcome === null ? null : encodeOutcome(outcome),
    at: DateTime.formatIso(at),
    ask_at: DateTime.formatIso(nextAsk(order.createdAt, at)),
    not_found: notFound
  }
}
