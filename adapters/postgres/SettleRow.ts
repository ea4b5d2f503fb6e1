import { DateTime } from "effect"
import { nextAsk } from "../../core/domain/Recovery.ts"
import { outcomeOf } from "../../core/domain/Sale.ts"
import type { Status } from "../../core/domain/Status.ts"
import type { Settled, Settlement } from "../../core/ports/Ledger.ts"
import { decodeOutcome, encodeOutcome } from "./OutcomeJson.ts"

/** What cell.settle answers a member. */
export interface SettleAnswer {
  readonly won: boolean
  /** The key replays the member's own outcome, which is not told again. */
  readonly kept: boolean
  readonly status: Status
  /** What the key replays otherwise; null where there is nothing. */
  readonly outcome: unknown
}

const ownOutcome = ({ at, order, toldPending, verdict }: Settlement) => outcomeOf(order, verdict, at, toldPending)

/** A settlement as cell.settle unpacks it, but for its place in the group. What there is none of is left out. */
export const settleRow = (settlement: Settlement) => {
  const { at, claimedAt, notFound, order, verdict } = settlement
  const delivery = verdict._tag === "Confirm" ? verdict.delivery : undefined
  return {
    company_id: order.companyId,
    transaction_id: order.transactionId,
    verdict: verdict._tag,
    auth_code: delivery?.authCode,
    recharge_token: delivery?.rechargeToken ?? undefined,
    valid_from: delivery?.validity?.from,
    valid_until: delivery?.validity?.until,
    refusal: verdict._tag === "Release" ? verdict.refusal : undefined,
    outcome: encodeOutcome(ownOutcome(settlement)),
    at: DateTime.formatIso(at),
    // Of nothing but what stays held.
    ask_at: verdict._tag === "Hold" ? DateTime.formatIso(nextAsk(order.createdAt, at)) : undefined,
    not_found: notFound,
    claimed_at: claimedAt === undefined ? undefined : DateTime.formatIso(claimedAt)
  }
}
export type SettleRow = ReturnType<typeof settleRow>

/** How the sale now stands. */
export const settled = (settlement: Settlement, { kept, outcome, status, won }: SettleAnswer): Settled => ({
  won,
  status,
  outcome: kept ? ownOutcome(settlement) : outcome === null ? null : decodeOutcome(outcome)
})
