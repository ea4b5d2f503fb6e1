import { Effect } from "effect"
import type { Environment } from "../domain/Company.ts"
import { discreetly } from "../domain/Discreet.ts"
import { ServiceUnavailable } from "../domain/Errors.ts"
import type { Order } from "../domain/Sale.ts"
import type { ServiceType } from "../domain/Service.ts"
import { Insurances } from "../ports/Insurances.ts"
import { type Insurer, Insurers } from "../ports/Insurer.ts"
import { Answer, type Provider, Providers } from "../ports/Provider.ts"

/** Whoever delivers what was sold: a provider or, for a policy, an insurer. Both are asked by xid, and sent to once. */
export type Supplier = Pick<Provider, "dispatch" | "status">

/** Who supplies a type of service to an environment. */
export const supplierOf = Effect.fn("Supplier.supplierOf")(function* (environment: Environment, type: ServiceType) {
  if (type !== "insurance") return yield* Providers.use((providers) => providers.serving(environment))
  const insurances = yield* Insurances
  return yield* Insurers.use((insurers) => insurers.serving(environment)).pipe(
    Effect.map(
      (insurer): Supplier => ({
        dispatch: (order) => issue(insurances, insurer, order),
        status: (order) => discreetly(insurer.status(order))
      })
    ),
    Effect.mapError(() => new ServiceUnavailable())
  )
})

// The insurance says that its policy is being asked for before it is. Whoever finds it settled already, by a recovery
// that was faster, must not ask.
const issue = Effect.fnUntraced(function* (insurances: Insurances["Service"], insurer: Insurer, order: Order) {
  const begun = yield* insurances.beginIssue(order)
  return begun ? yield* discreetly(insurer.issue(order)) : Answer.Unknown()
})
