import { DateTime, Effect } from "effect"
import type { Refusal } from "../../core/domain/Errors.ts"
import { readRechargeToken, sellsRechargeTokens } from "../../core/domain/RechargeToken.ts"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { type Reversal, ReversalAnswer } from "../../core/domain/Reversal.ts"
import { Answer, type Delivery, type Order } from "../../core/domain/Sale.ts"
import { sellsToPhones } from "../../core/domain/Service.ts"
import type { Provider } from "../../core/ports/Provider.ts"
import { simulatedLookup } from "./SimulatedLookup.ts"
import { hexOf, isLeftPending, simulatedCode, standing } from "./SimulatedSale.ts"

/** The refusal that the identifier's last character selects, or null. Contract: 7, Simulator scenarios. */
const refusalOf = ({ identifier, service }: Order): Refusal | null => {
  if (sellsToPhones(service.type) && !/^\d+$/.test(identifier)) return "INVALID_PHONE"
  if (identifier.endsWith("0")) return "INVALID_PHONE"
  return identifier.endsWith("1") ? "TRANSACTION_REJECTED" : null
}

const rechargeTokenOf = (xid: string): string | null =>
  readRechargeToken((BigInt(`0x${hexOf(xid)}`) % 10n ** 20n).toString().padStart(20, "0"))

const deliveryOf = ({ service, xid }: Order): Delivery => ({
  authCode: simulatedCode(xid),
  rechargeToken: sellsRechargeTokens(service.type) ? rechargeTokenOf(xid) : null
})

const dispatch = (order: Order): Answer => {
  const refusal = refusalOf(order)
  if (refusal !== null) return Answer.Refused({ refusal })
  return isLeftPending(order) ? Answer.Unknown() : Answer.Delivered({ delivery: deliveryOf(order) })
}

const status = (order: Order, now: DateTime.Utc): StatusAnswer => {
  const refusal = refusalOf(order)
  if (refusal !== null) return StatusAnswer.Refused({ refusal })
  switch (standing(order, now)) {
    case "undecided":
      return StatusAnswer.Unknown()
    case "denied":
      return StatusAnswer.Refused({ refusal: "TRANSACTION_REJECTED" })
    case "confirmed":
      return StatusAnswer.Delivered({ delivery: deliveryOf(order) })
  }
}

// The last two characters of the sale's identifier select the reversal's answer.
const reversal = ({ order: { identifier } }: Reversal, askedAbout: boolean): ReversalAnswer => {
  if (identifier.endsWith("93")) return ReversalAnswer.Denied()
  return identifier.endsWith("94") && !askedAbout ? ReversalAnswer.Unknown() : ReversalAnswer.Confirmed()
}

/**
 * Simulated provider. It delivers nothing and answers by the last characters of the identifier, even about a sale that
 * was reserved but never sent.
 * - Pending sale: 02 is denied, 12 stays undecided, all others are confirmed.
 * - Reversal: 93 is denied, 94 is unknown until its first status query, all others are confirmed.
 */
export const simulator: Provider = {
  knows: () => true,
  dispatch: (order) => Effect.sync(() => dispatch(order)),
  status: (order) => Effect.map(DateTime.now, (now) => status(order, now)),
  reverse: (asked) => Effect.sync(() => reversal(asked, false)),
  reversalStatus: (asked) => Effect.sync(() => reversal(asked, true)),
  lookup: simulatedLookup
}
