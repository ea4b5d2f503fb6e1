import { Effect } from "effect"
import { AcceptedOperations, type Actor, fakeGateway } from "./FakeGateway.ts"
import { DeliveryRecord, type FakeReply, type FakeRequest } from "./FakeServer.ts"

interface PolicyRequest {
  readonly xid: string
  readonly amount_centavos: number
}

/** Decision on a policy: issue it, refuse it, or leave it pending permanently. */
type PolicyDecision = "issued" | "refused" | "pending"

const policyAnswer = ({ amount_centavos, xid }: PolicyRequest, outcome: PolicyDecision, contradicting: boolean) => ({
  outcome,
  xid,
  amount_centavos: contradicting ? amount_centavos * 100 : amount_centavos,
  ...(outcome === "issued" && {
    policy_number: `POL-${xid.slice(-8)}`,
    valid_from: "2026-03-02",
    valid_until: "2027-03-01"
  })
})

/** The subject of a request: the xid of a policy, or the plate. */
const insurerSubjectOf = ({ body, path }: FakeRequest): string => {
  const { plate, xid } = (body ?? {}) as { readonly plate?: string; readonly xid?: string }
  return xid ?? plate ?? path.slice(path.lastIndexOf("/") + 1)
}

const unknownPlate = { outcome: "rejected", reason: "La aseguradora no conoce esta placa." }

/** A fake insurer that follows the protocol of docs/providers/insurer.md. It knows only the plates in `steps`. */
export const fakeHttpInsurer = Effect.fnUntraced(function* (secret: string) {
  const truth = new DeliveryRecord()
  /** Decision by xid. The default is to issue the policy. */
  const policies = new Map<string, PolicyDecision>()
  /** Responses to the steps before the sale, by path and plate: `/v1/quotes A123456`. */
  const steps = new Map<string, object>()
  const accepted = new AcceptedOperations<PolicyRequest, PolicyDecision>(policyAnswer)

  const decide = ({ amount_centavos, xid }: PolicyRequest) => {
    const decision = policies.get(xid) ?? "issued"
    if (decision === "issued") truth.deliver(xid, amount_centavos)
    return decision
  }
  const act: Actor["act"] = (asked, misbehaviour, now_ms) => {
    const about = insurerSubjectOf(asked)
    const named = { xid: about, misbehaviour, now_ms }
    if (asked.path === "/v1/policies") return accepted.accept(asked.body as PolicyRequest, named, decide)
    if (asked.method === "GET") return accepted.status(named)
    return { status: 200, body: steps.get(`${asked.path} ${about}`) ?? unknownPlate }
  }
  const gateway = yield* fakeGateway("insurer", secret, { aboutOf: insurerSubjectOf, act })
  return { ...gateway, truth, policies, steps }
})

interface Order {
  readonly xid: string
  readonly amount_centavos: number
  readonly service: { readonly type: string }
}

interface Reversal {
  readonly xid: string
  readonly order: Order
}

/** Decision on an order: deliver it, refuse it with a code, or leave it pending permanently. */
type OrderDecision = "delivered" | "INVALID_PHONE" | "INVALID_AMOUNT" | "TRANSACTION_REJECTED" | "pending"

type ReversalDecision = "confirmed" | "denied" | "pending"

const rechargeToken = "1234 5678 9012 3456 7890"

const orderAnswer = ({ amount_centavos, service, xid }: Order, decision: OrderDecision, contradicting: boolean) => {
  // A contradicting gateway states 100 times the amount, as if it read centavos as pesos.
  const facts = { xid, amount_centavos: contradicting ? amount_centavos * 100 : amount_centavos }
  switch (decision) {
    case "delivered": {
      const recharge_token = service.type === "electricity_prepaid" ? rechargeToken : null
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

const lastSegment = ({ path }: FakeRequest): string => path.slice(path.lastIndexOf("/") + 1)

/** The subject of a request: the xid in its body or path, or the identifier of a lookup. */
const providerSubjectOf = (asked: FakeRequest): string => {
  const { identifier, xid } = (asked.body ?? {}) as { readonly identifier?: string; readonly xid?: string }
  return xid ?? identifier ?? lastSegment(asked)
}

/**
 * A fake provider that follows the protocol of docs/providers/http.md. Lookups find only the identifiers in `found`.
 */
export const fakeHttpProvider = Effect.fnUntraced(function* (secret: string) {
  const truth = new DeliveryRecord()
  /** Decisions by xid. The default is to deliver, and to confirm a reversal. */
  const orders = new Map<string, OrderDecision>()
  const reversals = new Map<string, ReversalDecision>()
  /** Result of a lookup, by identifier. */
  const found = new Map<string, object>()
  /** The reply to the question about the balance. */
  const balance: { reply: FakeReply } = {
    reply: { status: 200, body: { currency: "DOP", available_centavos: 5_000_050, held_centavos: 10_000 } }
  }
  const acceptedOrders = new AcceptedOperations<Order, OrderDecision>(orderAnswer)
  const acceptedReversals = new AcceptedOperations<Reversal, ReversalDecision>(reversalAnswer)

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
    const named = { xid: providerSubjectOf(asked), misbehaviour, now_ms }
    switch (asked.path.split("/v1/")[1]) {
      case "orders":
        return acceptedOrders.accept(asked.body as Order, named, decideOrder)
      case "reversals":
        return acceptedReversals.accept(asked.body as Reversal, named, decideReversal)
      case "balance":
        return balance.reply
      case "lookups":
        return { status: 200, body: lookUp(named.xid) }
      default:
        return (asked.path.includes("/orders/") ? acceptedOrders : acceptedReversals).status(named)
    }
  }
  const gateway = yield* fakeGateway("http", secret, { aboutOf: providerSubjectOf, act })
  return { ...gateway, truth, orders, reversals, found, balance }
})
