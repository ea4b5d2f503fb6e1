import { DateTime, Effect } from "effect"
import { HttpClientError } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { FloatAnswer } from "../../core/domain/Float.ts"
import { LookupAnswer, type LookupQuery } from "../../core/domain/Lookup.ts"
import { toPesos } from "../../core/domain/Money.ts"
import { type Reversal, ReversalAnswer } from "../../core/domain/Reversal.ts"
import { DispatchAnswer, lacksRechargeToken, type Order } from "../../core/domain/Sale.ts"
import type { Provider } from "../../core/ports/Provider.ts"
import { type GatewayOptions, gatewayClient } from "../http/GatewayClient.ts"
import { askGateway, GatewayReply, type OrderState, toDispatchAnswer, toStatusAnswer } from "../http/GatewayReply.ts"
import * as Wire from "./ProviderProtocol.ts"

const wireOrder = ({ amount, createdAt, identifier, product, reference, service, xid }: Order) => ({
  xid,
  created_at: DateTime.formatIso(createdAt),
  service: { ...service, product },
  identifier,
  amount_centavos: amount,
  currency: "DOP" as const,
  reference
})

const wireReversal = ({ createdAt, order, xid }: Reversal) => ({
  xid,
  created_at: DateTime.formatIso(createdAt),
  order: wireOrder(order)
})

const wireLookup = ({ identifier, packages, service: { id, name, product, type } }: LookupQuery) => ({
  service: { id, name, type, product },
  identifier,
  packages: packages.map(({ code, name, price }) => ({ code, name, price_centavos: price }))
})

/** Interprets a response about an order. Null if the response concerns another order. */
const readOrder =
  ({ amount, service, xid }: Order) =>
  (answer: Wire.OrderAnswer): OrderState | null => {
    if (answer.xid !== xid || answer.amount_centavos !== amount) return null
    switch (answer.outcome) {
      case "delivered": {
        const { auth_code: authCode, recharge_token: rechargeToken = null } = answer
        // Without a recharge token that fits the meter, electricity does not count as delivered.
        if (lacksRechargeToken(service.type, rechargeToken)) return null
        return DispatchAnswer.Delivered({ delivery: { authCode, rechargeToken } })
      }
      case "refused":
        return DispatchAnswer.Refused({ refusal: answer.reason })
      case "pending":
        return DispatchAnswer.Unknown()
    }
  }

const readReversal =
  ({ order, xid }: Reversal) =>
  (answer: Wire.ReversalAnswer): ReversalAnswer | null => {
    if (answer.xid !== xid || answer.order_xid !== order.xid || answer.amount_centavos !== order.amount) return null
    switch (answer.outcome) {
      case "confirmed":
        return ReversalAnswer.Confirmed()
      case "denied":
        return ReversalAnswer.Denied()
      case "pending":
        return ReversalAnswer.Unknown()
    }
  }

const readLookup = (answer: Wire.LookupAnswer): LookupAnswer => {
  if (answer.outcome === "no_such_identifier") return LookupAnswer.NoSuchIdentifier()
  const { holder = null } = answer
  const offers = answer.offers.map(({ data = null, name, price_centavos: price, reference, validity = null }) => ({
    reference,
    name,
    price,
    validity,
    data
  }))
  return LookupAnswer.Found({ found: { holder, offers } })
}

interface WireBalance {
  readonly currency: string
  readonly available_centavos: number
  readonly held_centavos?: number | null
}

const readFloat = (answer: WireBalance | null): FloatAnswer =>
  answer === null
    ? FloatAnswer.NotOffered()
    : FloatAnswer.Read({
        balances: [
          {
            unit: answer.currency,
            available: toPesos(answer.available_centavos),
            held: toPesos(answer.held_centavos ?? 0)
          }
        ]
      })

/** Whether the gateway does not have the optional endpoint. Earlier versions of the protocol lacked it. */
const isWithoutEndpoint = (failure: unknown): boolean =>
  HttpClientError.isHttpClientError(failure) && [404, 405, 501].includes(failure.response?.status ?? 0)

const toReversalAnswer: (reply: GatewayReply<ReversalAnswer>) => ReversalAnswer = GatewayReply.$match({
  Answered: ({ answer }): ReversalAnswer => answer,
  NotDone: () => ReversalAnswer.NotSent(),
  NotFound: () => ReversalAnswer.NotFound(),
  Unknown: () => ReversalAnswer.Unknown()
})

/** A provider behind a gateway that implements the protocol of docs/providers/http.md. */
export const make = Effect.fnUntraced(function* (options: GatewayOptions) {
  const gateway = yield* HttpApiClient.make(Wire.providerProtocol, { transformClient: yield* gatewayClient(options) })
  return {
    // Accepts every reference, because the gateway may use its own references or the codes of the catalogue.
    knows: () => true,
    dispatch: (order) =>
      askGateway(gateway.dispatch({ payload: wireOrder(order) }), {
        operation: "dispatch",
        id: order.xid,
        read: readOrder(order)
      }).pipe(Effect.map(toDispatchAnswer)),
    status: (order) =>
      askGateway(gateway.status({ params: { xid: order.xid } }), {
        operation: "status",
        id: order.xid,
        read: readOrder(order)
      }).pipe(Effect.map(toStatusAnswer)),
    reverse: (reversal) =>
      askGateway(gateway.reverse({ payload: wireReversal(reversal) }), {
        operation: "reverse",
        id: reversal.xid,
        read: readReversal(reversal)
      }).pipe(Effect.map(toReversalAnswer)),
    reversalStatus: (reversal) =>
      askGateway(gateway.reversalStatus({ params: { xid: reversal.xid } }), {
        operation: "reversalStatus",
        id: reversal.xid,
        read: readReversal(reversal)
      }).pipe(Effect.map(toReversalAnswer)),
    lookup: (query) =>
      askGateway(gateway.lookup({ payload: wireLookup(query) }), {
        operation: "lookup",
        id: null,
        read: readLookup
      }).pipe(Effect.map((reply) => (reply._tag === "Answered" ? reply.answer : LookupAnswer.NoAnswer()))),
    float: askGateway(gateway.balance().pipe(Effect.catchIf(isWithoutEndpoint, () => Effect.succeed(null))), {
      operation: "balance",
      id: null,
      read: readFloat
    }).pipe(Effect.map((reply) => (reply._tag === "Answered" ? reply.answer : FloatAnswer.NoAnswer())))
  } satisfies Provider
})
