import { Clock, Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import type { IssuedPolicy } from "../domain/Insurance.ts"
import { StatusAnswer } from "../domain/Recovery.ts"
import { Answer, type Delivery, type Order } from "../domain/Sale.ts"
import type { ServiceType } from "../domain/Service.ts"
import { Insurances } from "../ports/Insurances.ts"
import { type Insurer, Insurers } from "../ports/Insurer.ts"
import { type Provider, Providers } from "../ports/Provider.ts"
import { redactDefects } from "../telemetry/RedactDefects.ts"
import { spanned } from "../telemetry/SpanWhenTraced.ts"
import { isFresh } from "./Fresh.ts"
import { withFallback } from "./WithFallback.ts"

/** Whoever delivers what was sold: a provider or, for a policy, an insurer. Both are asked by xid, and sent to once. */
export type Supplier = Pick<Provider, "dispatch" | "knows" | "status">

/** Who supplies a type of service to an environment. */
export const supplierOf = spanned(
  "Supplier.supplierOf",
  Effect.fnUntraced(function* (environment: Environment, type: ServiceType) {
    if (type !== "insurance") return yield* Providers.use((providers) => providers.serving(environment))
    const insurances = yield* Insurances
    const insurer = yield* Insurers.use((insurers) => insurers.serving(environment))
    return {
      // A quote's reference is the insurer's own, so there is nothing to check. Contract: 4.6.
      knows: () => true,
      dispatch: (order) => issue(insurances, insurer, order),
      status: (order) => Effect.map(redactDefects(insurer.status(order)), statusOfSale)
    } satisfies Supplier
  })
)

/**
 * What the supplier says of a sale. One that falls silent, or breaks, says nothing firm; where there is none, nobody
 * was asked.
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
      "a supplier could not say how a sale stands: it is held, and asked about again",
      { xid: order.xid },
      cause
    )
  )
}

// The insurance says that its policy is being asked for before it is. Whoever finds it settled already, by a recovery
// that was faster, must not ask. Nor must a process that was paused between the two: recovery may have ended the sale.
const issue = Effect.fnUntraced(function* (insurances: Insurances["Service"], insurer: Insurer, order: Order) {
  const since_ns = yield* Clock.monotonicTimeNanos
  const begun = yield* insurances.beginIssue(order)
  if (!begun || !(yield* isFresh(since_ns, order.createdAt))) return Answer.Unknown()
  return answerOfSale(yield* redactDefects(insurer.issue(order)))
})

const answerOfSale = (said: Answer<IssuedPolicy>): Answer =>
  said._tag === "Delivered" ? Answer.Delivered({ delivery: deliveryOf(said.delivery) }) : said

const statusOfSale = (said: StatusAnswer<IssuedPolicy>): StatusAnswer =>
  said._tag === "Delivered" ? StatusAnswer.Delivered({ delivery: deliveryOf(said.delivery) }) : said

/** A policy as the sale keeps it. */
const deliveryOf = ({ number, validity }: IssuedPolicy): Delivery => ({
  authCode: number,
  rechargeToken: null,
  validity
})
