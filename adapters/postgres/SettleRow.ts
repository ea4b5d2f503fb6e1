import { DateTime } from "effect"
import { nextAsk } from "../../core/domain/Recovery.ts"
import { outcomeOf } from "../../core/domain/Sale.ts"
import type { Status } from "../../core/domain/Status.ts"
import type { Settled, Settlement } from "../../core/ports/Ledger.ts"
import { decodeOutcome, encodeOutcome } from "./OutcomeJson.ts"

/** Answer of cell.settle for one member. */
export interface SettleAnswer {
  readonly won: boolean
  /** The key replays the member's own outcome. `outcome` is then omitted. */
  readonly kept: boolean
  readonly status: Status
  /** Otherwise the outcome that the key replays. Null if there is none. */
  readonly outcome: unknown
}

const ownOutcome = ({ at, order, toldPending, verdict }: Settlement) => outcomeOf(order, verdict, at, toldPending)

/** A settlement as JSON for cell.settle, without its number in the group. Absent fields are omitted. */
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
    // Only sales that stay held have a next status query.
    ask_at: verdict._tag === "Hold" ? DateTime.formatIso(nextAsk(order.createdAt, at)) : undefined,
    not_found: notFound,
    claimed_at: claimedAt === undefined ? undefined : DateTime.formatIso(claimedAt)
  }
}
export type SettleRow = ReturnType<typeof settleRow>

/** The state of the sale after the settlement. */
export const settled = (settlement: Settlement, { kept, outcome, status, won }: SettleAnswer): Settled => ({
  won,
  status,
  outcome: kept ? ownOutcome(settlement) : outcome === null ? null : decodeOutcome(outcome)
})
