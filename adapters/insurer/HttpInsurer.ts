import { DateTime, Effect, Result } from "effect"
import { HttpApiClient } from "effect/http-api"
import type { IssuedPolicy } from "../../core/domain/Insurance.ts"
import {
  InsuranceRejected,
  InsuranceUnavailable,
  PolicyActive,
  VehicleUnsupported
} from "../../core/domain/InsuranceErrors.ts"
import type { PlanList } from "../../core/domain/InsuranceOffer.ts"
import { DispatchAnswer, type Order } from "../../core/domain/Sale.ts"
import type { Inspected, Insurer, Quoted } from "../../core/ports/Insurer.ts"
import { type GatewayOptions, gatewayClient } from "../http/GatewayClient.ts"
import {
  askGateway,
  type GatewayReply,
  type OrderState,
  toDispatchAnswer,
  toStatusAnswer
} from "../http/GatewayReply.ts"
import * as Wire from "./InsurerProtocol.ts"

const readInspection = (
  answer: Wire.InspectionAnswer
): Result.Result<Inspected, InsuranceRejected | VehicleUnsupported> => {
  switch (answer.outcome) {
    case "found": {
      const { holder, reference, renewal, vehicle, versions } = answer
      return Result.succeed({ holder, reference, renewal, vehicle, versions })
    }
    case "rejected":
      return Result.fail(new InsuranceRejected({ reason: answer.reason }))
    case "vehicle_unsupported":
      return Result.fail(new VehicleUnsupported())
  }
}

const readPlans = (answer: Wire.PlansAnswer): Result.Result<PlanList, InsuranceRejected> => {
  if (answer.outcome === "rejected") return Result.fail(new InsuranceRejected({ reason: answer.reason }))
  const { detail, extras, plans } = answer
  return Result.succeed({
    detail,
    plans: plans.map(({ price_centavos: price, ...plan }) => ({ ...plan, price })),
    extras: extras.map(({ price_centavos: price, ...extra }) => ({ ...extra, price }))
  })
}

const readQuote = (answer: Wire.QuoteAnswer): Result.Result<Quoted, PolicyActive | InsuranceRejected> => {
  switch (answer.outcome) {
    case "quoted":
      return Result.succeed({ reference: answer.quote, total: answer.total_centavos })
    case "policy_active":
      return Result.fail(new PolicyActive({ renewableFrom: answer.renewable_from }))
    case "rejected":
      return Result.fail(new InsuranceRejected({ reason: answer.reason }))
  }
}

/**
 * Interprets a response about the policy of an order. Null if the response concerns another order, or if the policy
 * ends before it begins.
 */
const readPolicy =
  ({ amount, xid }: Order) =>
  (answer: Wire.PolicyAnswer): OrderState<IssuedPolicy> | null => {
    if (answer.xid !== xid || answer.amount_centavos !== amount) return null
    switch (answer.outcome) {
      case "issued": {
        const { policy_number: number, valid_from: from, valid_until: until } = answer
        if (from > until) return null
        return DispatchAnswer.Delivered({ delivery: { number, validity: { from, until } } })
      }
      case "refused":
        return DispatchAnswer.Refused({ refusal: "SEGURO_NO_EMITIDO" })
      case "pending":
        return DispatchAnswer.Unknown()
    }
  }

const wirePolicy = ({ amount, createdAt, identifier, product, xid }: Order, quote: string) => ({
  xid,
  created_at: DateTime.formatIso(createdAt),
  product,
  plate: identifier.toUpperCase(),
  quote,
  amount_centavos: amount,
  currency: "DOP" as const
})

/** The result of a call that moves no money. Without a response, the error is InsuranceUnavailable. */
const said = <A, E>(reply: GatewayReply<Result.Result<A, E>>): Effect.Effect<A, E | InsuranceUnavailable> =>
  reply._tag === "Answered" ? Effect.fromResult(reply.answer) : Effect.fail(new InsuranceUnavailable())

/** An insurer behind a gateway that implements the protocol of docs/providers/insurer.md. */
export const make = Effect.fnUntraced(function* (options: GatewayOptions) {
  const gateway = yield* HttpApiClient.make(Wire.insurerProtocol, { transformClient: yield* gatewayClient(options) })
  return {
    inspect: ({ cedula, phone, plate, product }) =>
      askGateway(gateway.inspect({ payload: { cedula, phone, plate, product } }), {
        operation: "inspect",
        id: null,
        read: readInspection
      }).pipe(Effect.flatMap(said)),
    plans: ({ plate, reference, version }) =>
      askGateway(gateway.plans({ payload: { plate, reference, version } }), {
        operation: "plans",
        id: null,
        read: readPlans
      }).pipe(Effect.flatMap(said)),
    quote: ({ extras, plan, plate, reference, version }) =>
      askGateway(gateway.quote({ payload: { extras, plan, plate, reference, version } }), {
        operation: "quote",
        id: null,
        read: readQuote
      }).pipe(Effect.flatMap(said)),
    issue: (order) =>
      order.reference === null
        ? // Every order for an insurance has a quote.
          Effect.die(new Error(`the policy ${order.xid} has no quote`))
        : askGateway(gateway.issue({ payload: wirePolicy(order, order.reference) }), {
            operation: "issue",
            id: order.xid,
            read: readPolicy(order)
          }).pipe(Effect.map(toDispatchAnswer)),
    status: (order) =>
      askGateway(gateway.policyStatus({ params: { xid: order.xid } }), {
        operation: "policyStatus",
        id: order.xid,
        read: readPolicy(order)
      }).pipe(Effect.map(toStatusAnswer))
  } satisfies Insurer
})
