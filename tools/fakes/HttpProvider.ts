import { Effect } from "effect"
import { Accepted } from "./Accepted.ts"
import { type Actor, fakeGateway } from "./FakeGateway.ts"
import type { Asked } from "./Misbehaviour.ts"
import { Truth } from "./Truth.ts"

interface Order {
  readonly xid: string
  readonly amount_centavos: number
  readonly service: { readonly type: string }
}

interface Reversal {
  readonly xid: string
  readonly order: Order
}

/** How it decides about an order: it delivers, refuses for a reason, or never decides. */
type OrderDecision = "delivered" | "INVALID_PHONE" | "INVALID_AMOUNT" | "TRANSACTION_REJECTED" | "pending"

type ReversalDecision = "confirmed" | "denied" | "pending"

const token = "1234 5678 9012 3456 7890"

const orderAnswer = ({ amount_centavos, service, xid }: Order, decision: OrderDecision, contradicting: boolean) => {
  // It takes centavos for pesos.
  const facts = { xid, amount_centavos: contradicting ? amount_centavos * 100 : amount_centavos }
  switch (decision) {
    case "delivered": {
      const recharge_token = service.type === "electricity_prepaid" ? token : null
      return { outcome: "delivered", ...facts, auth_code: `GW${xid.slice(-8)}`, recharge_token }
    }
    case "pending":
      return { outcome: "pending", ...facts }
    default:
      return { outcome: "refused", ...facts, reason: decision }
  }
}

const reversalAnswer = ({ order, xid }: Reversal, outcome: ReversalDecision, contradicting: boolean) => ({
  outcome,
  xid,
  order_xid: contradicting ? xid : order.xid,
  amount_centavos: order.amount_centavos
})

const last = ({ path }: Asked): string => path.slice(path.lastIndexOf("/") + 1)

/** What a request is about: the xid of its body or of its path, or the identifier that is looked up. */
const aboutOf = (asked: Asked): string => {
  const { identifier, xid } = (asked.body ?? {}) as { readonly identifier?: string; readonly xid?: string }
  return xid ?? identifier ?? last(asked)
}

/** A gateway that delivers, by the protocol of docs/providers/http.md. It knows of nobody but whom `found` has. */
export const fakeHttpProvider = Effect.fnUntraced(function* (secret: string) {
  const truth = new Truth()
  /** How it decides, by xid; it delivers, and takes back, where nothing is said. */
  const orders = new Map<string, OrderDecision>()
  const reversals = new Map<string, ReversalDecision>()
  /** What it finds, by identifier. */
  const found = new Map<string, object>()
  const acceptedOrders = new Accepted<Order, OrderDecision>(orderAnswer)
  const acceptedReversals = new Accepted<Reversal, ReversalDecision>(reversalAnswer)

  const decideOrder = ({ amount_centavos, xid }: Order) => {
    const decision = orders.get(xid) ?? "delivered"
    if (decision === "delivered") truth.deliver(xid, amount_centavos)
    return decision
  }
  const decideReversal = ({ order, xid }: Reversal) => {
    const decision = truth.isDelivered(order.xid) ? (reversals.get(xid) ?? "confirmed") : "denied"
    if (decision === "confirmed") truth.takeBack(order.xid)
    return decision
  }
  const lookUp = (identifier: string) => {
    const known = found.get(identifier)
    return known === undefined ? { outcome: "no_such_identifier" } : { outcome: "found", ...known }
  }

  const act: Actor["act"] = (asked, misbehaviour, now_ms) => {
    const named = { xid: aboutOf(asked), misbehaviour, now_ms }
    switch (asked.path.split("/v1/")[1]) {
      case "orders":
        return acceptedOrders.accept(asked.body as Order, named, decideOrder)
      case "reversals":
        return acceptedReversals.accept(asked.body as Reversal, named, decideReversal)
      case "lookups":
        return { status: 200, body: lookUp(named.xid) }
      default:
        return (asked.path.includes("/orders/") ? acceptedOrders : acceptedReversals).status(named)
    }
  }
  const gateway = yield* fakeGateway("http", secret, { aboutOf, act })
  return { ...gateway, truth, orders, reversals, found }
})
