import type { Effect } from "effect"
import { recover } from "../../core/workflows/Recover.ts"
import type { Activity } from "../faults/Step.ts"
import type { Services } from "../process/Process.ts"
import { type Callers, lookUpAndBuy, sell, takeBack } from "./Client.ts"
import { insure } from "./Insuring.ts"
import type { Op } from "./Op.ts"
import { adjust, type BackOffice, bound, pay } from "./Operators.ts"
import { resolveReversal, resolveSale } from "./Resolving.ts"

/** A call to the server, and the activity for which its fibers work. */
export interface Asked {
  readonly activity: Activity
  readonly work: Effect.Effect<unknown, unknown, Services>
}

/** The call that an operation makes to the server; null when it makes none. */
export const askedBy = (callers: Callers, office: BackOffice, op: Op): Asked | null => {
  switch (op.do) {
    case "sell":
      return { activity: "sale", work: sell(callers, op) }
    case "buy":
      return { activity: "lookup", work: lookUpAndBuy(callers, op) }
    case "insure":
      return { activity: "insurance", work: insure(callers, op) }
    case "reverse":
      return { activity: "reversal", work: takeBack(op) }
    case "deposit":
      return { activity: "operator", work: pay(office, op) }
    case "limit":
      return { activity: "operator", work: bound(op) }
    case "adjust":
      return { activity: "sandbox", work: adjust(op) }
    case "resolve":
      return { activity: "operator", work: resolveSale(office, op) }
    case "resolve reversal":
      return { activity: "operator", work: resolveReversal(office, op) }
    case "reconcile":
      return { activity: "recovery", work: recover("all") }
    case "kill":
    case "wait":
      return null
  }
}
