import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { rechargeTokenForm } from "../../core/domain/Sale.ts"
import { ServiceType } from "../../core/domain/Service.ts"
import {
  AmountCentavos,
  Currency,
  conflict,
  distinct,
  Instant,
  notFound,
  notProcessed,
  optionalOrNull,
  printableText,
  protocolAnnotations,
  referenceText,
  Xid
} from "../http/GatewayProtocol.ts"

/** The service of an order. */
const Service = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  type: ServiceType,
  product: Schema.NullOr(Schema.String).annotate({
    description: "The gateway's code of the service, from the operator's catalogue; null if the catalogue has no code."
  })
}).annotate({ identifier: "Service" })

const identifier = Schema.String.annotate({
  description: "The customer's phone (ten digits), contract or account, as the seller wrote it."
})

/** An order to deliver. */
const Order = Schema.Struct({
  xid: Xid,
  created_at: Instant,
  service: Service,
  identifier,
  amount_centavos: AmountCentavos,
  currency: Currency,
  reference: Schema.NullOr(Schema.String).annotate({
    description:
      "The option to buy: its reference from a lookup or, for a package, its code in the operator's catalogue. Null if the customer chose the amount."
  })
}).annotate({ identifier: "Order", description: "An order to deliver. The provider must deliver it only once." })

/** The fields that all answers about an order have in common. */
const ofOrder = { xid: Xid, amount_centavos: AmountCentavos }

const RechargeToken = Schema.String.check(Schema.isPattern(rechargeTokenForm)).annotate({
  description: "The digits that the customer types into the meter. Required for orders of type electricity_prepaid.",
  examples: ["1234 5678 9012 3456 7890"]
})

const Delivered = Schema.Struct({
  outcome: Schema.Literal("delivered"),
  ...ofOrder,
  auth_code: printableText(64, "The authorization code that is printed on the receipt."),
  recharge_token: optionalOrNull(RechargeToken)
}).annotate({ identifier: "Delivered", description: "The order was delivered, and the sale is charged. Final." })

const Refused = Schema.Struct({
  outcome: Schema.Literal("refused"),
  ...ofOrder,
  reason: Schema.Literals(["INVALID_PHONE", "INVALID_AMOUNT", "TRANSACTION_REJECTED"])
}).annotate({
  identifier: "Refused",
  description: "The order was not delivered and never will be. The money is released. Final."
})

const Pending = Schema.Struct({ outcome: Schema.Literal("pending"), ...ofOrder }).annotate({
  identifier: "Pending",
  description: "The order is not decided yet. The money stays held, and Saldo asks again."
})

const OrderAnswer = Schema.Union([Delivered, Refused, Pending]).annotate({
  identifier: "OrderAnswer",
  description: "The state of the order."
})
export type OrderAnswer = typeof OrderAnswer.Type

/** A delivered order to reverse. */
const Reversal = Schema.Struct({ xid: Xid, created_at: Instant, order: Order }).annotate({
  identifier: "Reversal",
  description:
    "A delivered order to reverse in full. The provider must reverse it only once. The reversal has its own xid."
})

const ofReversal = { xid: Xid, order_xid: Xid, amount_centavos: AmountCentavos }

const ReversalAnswer = Schema.Union([
  Schema.Struct({ outcome: Schema.Literal("confirmed"), ...ofReversal }).annotate({
    identifier: "Confirmed",
    description: "The order was reversed, and the seller's money is returned. Final."
  }),
  Schema.Struct({ outcome: Schema.Literal("denied"), ...ofReversal }).annotate({
    identifier: "Denied",
    description: "The order was not reversed, and never will be under this xid. The sale stays charged. Final."
  }),
  Schema.Struct({ outcome: Schema.Literal("pending"), ...ofReversal }).annotate({
    identifier: "ReversalPending",
    description: "The reversal is not decided yet. Saldo asks again."
  })
]).annotate({ identifier: "ReversalAnswer", description: "The state of the reversal." })
export type ReversalAnswer = typeof ReversalAnswer.Type

/** A lookup of packages, bills or the customer's name. */
const LookupQuestion = Schema.Struct({
  service: Service,
  identifier,
  packages: Schema.Array(
    Schema.Struct({ code: Schema.String, name: Schema.String, price_centavos: AmountCentavos })
  ).annotate({ description: "The service's packages in the operator's catalogue. Empty if there are no packages." })
}).annotate({ identifier: "Lookup" })

const Offer = Schema.Struct({
  reference: referenceText(100).annotate({
    description:
      "The gateway's reference of the offer. It is the same in every lookup, and unique among the offers for the identifier. A bill's reference must contain the period, because Saldo never sells a paid reference again."
  }),
  name: printableText(200),
  price_centavos: AmountCentavos,
  validity: optionalOrNull(printableText(100)).annotate({ description: "Text, for example `7 días`." }),
  data: optionalOrNull(printableText(100)).annotate({ description: "Text, for example `3 GB`." })
}).annotate({ identifier: "Offer" })

const LookupAnswer = Schema.Union([
  Schema.Struct({
    outcome: Schema.Literal("found"),
    holder: optionalOrNull(printableText(200)).annotate({
      description: "The customer's name, if it may be disclosed."
    }),
    offers: Schema.Array(Offer)
      .check(Schema.makeFilter(distinct(({ reference }) => reference)))
      .annotate({
        description:
          "The options that can be bought for the identifier. Empty for a line without packages, a contract without debt, or a service with a free amount."
      })
  }).annotate({ identifier: "Found" }),
  Schema.Struct({ outcome: Schema.Literal("no_such_identifier") }).annotate({
    identifier: "NoSuchIdentifier",
    description: "The phone, contract or account does not exist."
  })
]).annotate({ identifier: "LookupAnswer", description: "The result of a lookup." })
export type LookupAnswer = typeof LookupAnswer.Type

const orders = HttpApiGroup.make("orders", { topLevel: true }).add(
  HttpApiEndpoint.post("dispatch", "/v1/orders", {
    payload: Order,
    success: OrderAnswer,
    error: [...notProcessed, conflict]
  }).annotate(OpenApi.Summary, "Deliver an order, at most once for each xid"),
  HttpApiEndpoint.get("status", "/v1/orders/:xid", {
    params: { xid: Xid },
    success: OrderAnswer,
    error: [...notProcessed, notFound]
  }).annotate(OpenApi.Summary, "Get the state of an order")
)

const reversals = HttpApiGroup.make("reversals", { topLevel: true }).add(
  HttpApiEndpoint.post("reverse", "/v1/reversals", {
    payload: Reversal,
    success: ReversalAnswer,
    error: [...notProcessed, conflict]
  }).annotate(OpenApi.Summary, "Reverse an order, at most once for each xid"),
  HttpApiEndpoint.get("reversalStatus", "/v1/reversals/:xid", {
    params: { xid: Xid },
    success: ReversalAnswer,
    error: [...notProcessed, notFound]
  }).annotate(OpenApi.Summary, "Get the state of a reversal")
)

const lookups = HttpApiGroup.make("lookups", { topLevel: true }).add(
  HttpApiEndpoint.post("lookup", "/v1/lookups", {
    payload: LookupQuestion,
    success: LookupAnswer,
    error: notProcessed
  }).annotate(OpenApi.Summary, "Look up what an identifier can buy (moves no money)")
)

/** The operator's remaining balance with the gateway's carrier. */
const Balance = Schema.Struct({
  currency: Currency,
  available_centavos: Schema.Int.annotate({
    description: "What can still be sold, in centavos. Negative if the carrier sells on credit."
  }),
  held_centavos: optionalOrNull(
    Schema.Int.annotate({ description: "What is held for orders in progress, in centavos." })
  )
}).annotate({ identifier: "Balance", description: "The operator's remaining balance with the carrier." })

const balances = HttpApiGroup.make("balances", { topLevel: true }).add(
  HttpApiEndpoint.get("balance", "/v1/balance", { success: Balance, error: notProcessed }).annotate(
    OpenApi.Summary,
    "Get the remaining balance with the carrier (optional, moves no money)"
  )
)

/** The protocol between Saldo and a provider's gateway. Described in docs/providers/http.md. */
export const providerProtocol = HttpApi.make("provider")
  .add(orders, reversals, lookups, balances)
  .annotateMerge(
    protocolAnnotations(
      "Saldo: a provider's gateway",
      "The API that an operator of Saldo implements to deliver top-ups, packages, electricity and bills through a carrier of its choice. http.md in the same folder states the rules."
    )
  )
