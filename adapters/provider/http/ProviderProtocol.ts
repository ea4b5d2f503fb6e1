import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { rechargeTokenForm } from "../../../core/domain/RechargeToken.ts"
import { ServiceType } from "../../../core/domain/Service.ts"
import { documented } from "../../http/Documented.ts"
import { optionalOrNull } from "../../http/OptionalOrNull.ts"
import {
  AmountCentavos,
  Currency,
  conflict,
  distinct,
  Instant,
  notFound,
  notProcessed,
  text,
  Xid
} from "../../http/Wire.ts"

/** The service of an order. */
const Service = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  type: ServiceType,
  product: Schema.NullOr(Schema.String).annotate({
    description:
      "What the gateway calls the service, as the operator's catalogue has it; null if it has no name for it."
  })
}).annotate({ identifier: "Service" })

const identifier = Schema.String.annotate({
  description: "Who is served: a phone of ten digits, a contract, an account. As the seller wrote it."
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
      "The option that is bought, by the reference that a lookup gave it or, of a package, by its code in the operator's catalogue; null where the amount is free."
  })
}).annotate({ identifier: "Order", description: "What is to be delivered, once." })

/** The fields that all answers about an order have in common. */
const ofOrder = { xid: Xid, amount_centavos: AmountCentavos }

const RechargeToken = Schema.String.check(Schema.isPattern(rechargeTokenForm)).annotate({
  description: "What the customer types into the meter. Required of an order of type electricity_prepaid.",
  examples: ["1234 5678 9012 3456 7890"]
})

const Delivered = Schema.Struct({
  outcome: Schema.Literal("delivered"),
  ...ofOrder,
  auth_code: text(64).annotate({ description: "The operator's authorization code, as it is printed on the receipt." }),
  recharge_token: optionalOrNull(RechargeToken)
}).annotate({ identifier: "Delivered", description: "It was delivered, and is charged. This is final." })

const Refused = Schema.Struct({
  outcome: Schema.Literal("refused"),
  ...ofOrder,
  reason: Schema.Literals(["INVALID_PHONE", "INVALID_AMOUNT", "TRANSACTION_REJECTED"])
}).annotate({
  identifier: "Refused",
  description: "It was not delivered and never will be: the money goes back. This is final."
})

const Pending = Schema.Struct({ outcome: Schema.Literal("pending"), ...ofOrder }).annotate({
  identifier: "Pending",
  description: "Not decided yet: the money stays held, and Saldo asks again."
})

const OrderAnswer = Schema.Union([Delivered, Refused, Pending]).annotate({
  identifier: "OrderAnswer",
  description: "How the order stands."
})
export type OrderAnswer = typeof OrderAnswer.Type

/** A delivered order to reverse. */
const Reversal = Schema.Struct({ xid: Xid, created_at: Instant, order: Order }).annotate({
  identifier: "Reversal",
  description: "A delivered order that is to be taken back, whole and once. The reversal has an xid of its own."
})

const ofReversal = { xid: Xid, order_xid: Xid, amount_centavos: AmountCentavos }

const ReversalAnswer = Schema.Union([
  Schema.Struct({ outcome: Schema.Literal("confirmed"), ...ofReversal }).annotate({
    identifier: "Confirmed",
    description: "It was taken back: the seller gets the money. This is final."
  }),
  Schema.Struct({ outcome: Schema.Literal("denied"), ...ofReversal }).annotate({
    identifier: "Denied",
    description: "It was not taken back and never will be by this xid: the sale stands. This is final."
  }),
  Schema.Struct({ outcome: Schema.Literal("pending"), ...ofReversal }).annotate({
    identifier: "ReversalPending",
    description: "Not decided yet: Saldo asks again."
  })
]).annotate({ identifier: "ReversalAnswer", description: "How the reversal stands." })
export type ReversalAnswer = typeof ReversalAnswer.Type

/** A lookup of packages, bills or the customer's name. */
const LookupQuestion = Schema.Struct({
  service: Service,
  identifier,
  packages: Schema.Array(
    Schema.Struct({ code: Schema.String, name: Schema.String, price_centavos: AmountCentavos })
  ).annotate({ description: "What the operator's catalogue lists of the service. Empty where it lists nothing." })
}).annotate({ identifier: "Lookup" })

const Offer = Schema.Struct({
  reference: text(100).annotate({
    description:
      "The gateway's name for it, the same at every lookup, and another for every other offer of this identifier. That of a bill names the period, because what has been paid by that name is not sold again."
  }),
  name: text(200),
  price_centavos: AmountCentavos,
  validity: optionalOrNull(text(100)).annotate({ description: "In words: `7 días`." }),
  data: optionalOrNull(text(100)).annotate({ description: "In words: `3 GB`." })
}).annotate({ identifier: "Offer" })

const LookupAnswer = Schema.Union([
  Schema.Struct({
    outcome: Schema.Literal("found"),
    holder: optionalOrNull(text(200)).annotate({
      description: "The customer's name, where it may be told."
    }),
    offers: Schema.Array(Offer)
      .check(Schema.makeFilter(distinct(({ reference }) => reference)))
      .annotate({
        description:
          "What the identifier may buy. Empty: a line without packages, a contract without debt, a free amount."
      })
  }).annotate({ identifier: "Found" }),
  Schema.Struct({ outcome: Schema.Literal("no_such_identifier") }).annotate({
    identifier: "NoSuchIdentifier",
    description: "There is no such phone, contract or account."
  })
]).annotate({ identifier: "LookupAnswer", description: "What was found." })
export type LookupAnswer = typeof LookupAnswer.Type

const orders = HttpApiGroup.make("orders", { topLevel: true }).add(
  HttpApiEndpoint.post("dispatch", "/v1/orders", {
    payload: Order,
    success: OrderAnswer,
    error: [...notProcessed, conflict]
  }).annotate(OpenApi.Summary, "Deliver an order, once an xid"),
  HttpApiEndpoint.get("status", "/v1/orders/:xid", {
    params: { xid: Xid },
    success: OrderAnswer,
    error: [...notProcessed, notFound]
  }).annotate(OpenApi.Summary, "Say how an order stands")
)

const reversals = HttpApiGroup.make("reversals", { topLevel: true }).add(
  HttpApiEndpoint.post("reverse", "/v1/reversals", {
    payload: Reversal,
    success: ReversalAnswer,
    error: [...notProcessed, conflict]
  }).annotate(OpenApi.Summary, "Take an order back, once an xid"),
  HttpApiEndpoint.get("reversalStatus", "/v1/reversals/:xid", {
    params: { xid: Xid },
    success: ReversalAnswer,
    error: [...notProcessed, notFound]
  }).annotate(OpenApi.Summary, "Say how a reversal stands")
)

const lookups = HttpApiGroup.make("lookups", { topLevel: true }).add(
  HttpApiEndpoint.post("lookup", "/v1/lookups", {
    payload: LookupQuestion,
    success: LookupAnswer,
    error: notProcessed
  }).annotate(OpenApi.Summary, "Say what an identifier may buy; moves nothing")
)

/** The protocol between Saldo and a provider's gateway. Described in docs/providers/http.md. */
export const providerProtocol = HttpApi.make("provider")
  .add(orders, reversals, lookups)
  .annotateMerge(
    documented(
      "Saldo: a provider's gateway",
      "What an operator implements to deliver top-ups, packages, electricity and bills through a carrier of his own. http.md beside this document has the rules in words."
    )
  )
