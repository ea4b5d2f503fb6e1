import { Clock, Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { IssuedPolicy } from "../domain/Insurance.ts"
import { StatusAnswer } from "../domain/Recovery.ts"
import { ReversalAnswer, type UnresolvedReversal } from "../domain/Reversal.ts"
import { type Delivery, DispatchAnswer, type Order } from "../domain/Sale.ts"
import type { ServiceType } from "../domain/Service.ts"
import { Insurances } from "../ports/Insurances.ts"
import { type Insurer, Insurers } from "../ports/Insurer.ts"
import { type Provider, Providers } from "../ports/Provider.ts"
import { redactDefects } from "../telemetry/RedactDefects.ts"
import { withSpan } from "../telemetry/Spans.ts"
import { isBeforeSendDeadline, withFallback } from "./ExternalCalls.ts"

/**
 * The external service that delivers a sale: a provider or, for a policy, an insurer. Each xid is dispatched at most
 * once; after that, Saldo asks only for its status.
 */
export type Supplier = Pick<Provider, "dispatch" | "knows" | "status">

/** The supplier of a service type in an environment. */
export const supplierOf = withSpan(
  "Supplier.supplierOf",
  Effect.fnUntraced(function* (environment: Environment, type: ServiceType) {
    if (type !== "insurance") return yield* Providers.use((providers) => providers.serving(environment))
    const insurances = yield* Insurances
    const insurer = yield* Insurers.use((insurers) => insurers.serving(environment))
    return {
      // The reference of a quote always comes from the insurer, so there is nothing to check. Contract: 4.6.
      knows: () => true,
      dispatch: (order) => issue(insurances, insurer, order),
      status: (order) => Effect.map(redactDefects(insurer.status(order)), statusOfSale)
    } satisfies Supplier
  })
)

/**
 * Asks the supplier for the status of a sale. A timeout or a failing adapter gives Unknown. Without a supplier the
 * answer is NotAsked.
 */
export const statusOf = (order: Order) => {
  const said = supplierOf(order.environment, order.service.type).pipe(
    Effect.flatMap((supplier) => supplier.status(order)),
    Effect.catchTag(["ServiceUnavailable", "InsuranceUnavailable"], () =>
      Effect.succeed<StatusAnswer>(StatusAnswer.NotAsked())
    )
  )
  return withFallback(said, Effect.succeed(StatusAnswer.Unknown()), (cause) =>
    Effect.logWarning(
      "the provider's adapter failed on a status question; the answer counts as unknown",
      { xid: order.xid },
      cause
    )
  )
}

// The insurance is marked as being issued before the request goes to the insurer. The request must not be sent if
// recovery has settled the sale meanwhile, or if the process was paused too long between the two steps.
const issue = Effect.fnUntraced(function* (insurances: Insurances["Service"], insurer: Insurer, order: Order) {
  const since_ns = yield* Clock.monotonicTimeNanos
  const begun = yield* insurances.beginIssue(order)
  if (!begun || !(yield* isBeforeSendDeadline(since_ns, order.createdAt))) return DispatchAnswer.Unknown()
  return answerOfSale(yield* redactDefects(insurer.issue(order)))
})

const answerOfSale = (said: DispatchAnswer<IssuedPolicy>): DispatchAnswer =>
  said._tag === "Delivered" ? DispatchAnswer.Delivered({ delivery: deliveryOf(said.delivery) }) : said

const statusOfSale = (said: StatusAnswer<IssuedPolicy>): StatusAnswer =>
  said._tag === "Delivered" ? StatusAnswer.Delivered({ delivery: deliveryOf(said.delivery) }) : said

/** The policy in the form that a sale stores. */
const deliveryOf = ({ number, validity }: IssuedPolicy): Delivery => ({
  authCode: number,
  rechargeToken: null,
  validity
})

const askAboutReversal = ({ reversal }: UnresolvedReversal, question: "reverse" | "reversalStatus") =>
  withFallback(
    Providers.use((providers) => providers.serving(reversal.order.environment)).pipe(
      Effect.flatMap((provider) => provider[question](reversal)),
      // Without a provider the request was not sent.
      Effect.catchTag("ServiceUnavailable", () => Effect.succeed<ReversalAnswer>(ReversalAnswer.NotSent()))
    ),
    Effect.succeed(ReversalAnswer.Unknown()),
    (cause) =>
      Effect.logError(
        "the provider's adapter failed on a reversal, which stays unresolved",
        { question, xid: reversal.xid },
        cause
      )
  )

/** Asks the provider to reverse a sale. An answer that is not firm is Unknown. */
export const requestReversal = (unresolved: UnresolvedReversal) => askAboutReversal(unresolved, "reverse")

/** Asks the provider for the status of a reversal. */
export const reversalStatusOf = (unresolved: UnresolvedReversal) => askAboutReversal(unresolved, "reversalStatus")
