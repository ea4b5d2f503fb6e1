import { Effect } from "effect"
import { reversalXidOf, xidOf } from "../../core/domain/Idempotency.ts"
import { IdempotencyKey } from "../../core/domain/Ids.ts"
import { type Insurance, insuranceOption } from "../../core/domain/Insurance.ts"
import { Phone, Plate } from "../../core/domain/Person.ts"
import { Insurances } from "../../core/ports/Insurances.ts"
import { misbehaviours } from "../fakes/FakeServer.ts"
import { insurance as insuranceExample, insuranceServiceId, quotedInsurance } from "../support/InsuranceExample.ts"
import { SeededRandom } from "../support/SeededRandom.ts"
import type { ClientOperation } from "./Clients.ts"
import type { Customer } from "./environment/Environment.ts"
import type { SupplierPlan } from "./processes/SupplierCommands.ts"

/** An insurance quote, and the company that may buy it. */
export interface InsuranceOffer {
  readonly customer: Customer
  readonly insurance: Insurance
}

/** First plate number. Each vehicle is insured at most once in a run. */
const plates_from = 100_000

const concurrency_max = 4

/** Takes vehicles through the insurance steps before the sale. Only the sale itself is tested under crashes. */
export const makeInsuranceOffers = Effect.fnUntraced(function* (
  customers: ReadonlyArray<Customer>,
  { count, made }: { readonly count: number; readonly made: number }
) {
  const insurances = yield* Insurances
  const numbers = Array.from({ length: count }, (_, number) => made + number)
  return yield* Effect.forEach(
    numbers,
    (number) => {
      const customer = customers[number % customers.length] as Customer
      const plate = Plate.make(`A${plates_from + number}`)
      // A phone receives five messages an hour, so each vehicle has its own.
      const insured = { ...insuranceExample.insured, phone: Phone.make(`809${5_550_000 + number}`) }
      const changes = { environment: "production", serviceId: insuranceServiceId, plate, insured } as const
      return Effect.map(
        quotedInsurance(insurances, customer.companyId, 500_000 + number, changes),
        (insurance): InsuranceOffer => ({ customer, insurance })
      )
    },
    { concurrency: concurrency_max }
  )
})

/** Weights of the suppliers' behaviours, per thousand operations. */
const usualWeights = { done: 740, refused: 60, pending: 5, "turned away": 35, misbehaves: 160 }
const troubledWeights = { done: 300, refused: 0, pending: 0, "turned away": 0, misbehaves: 700 }

/** Probability that the supplier also mishandles the first status request. */
const secondMisbehaviourRate = 0.3

/** Plans how the supplier handles one operation. */
const supplierPlanOf = (chance: SeededRandom, xid: string, isTroubled: boolean): SupplierPlan => {
  const plain: SupplierPlan = { xid, decision: null, turnedAway: false, misbehaviours: [] }
  const what = chance.weighted(isTroubled ? troubledWeights : usualWeights)
  switch (what) {
    case "done":
      return plain
    case "refused":
    case "pending":
      return { ...plain, decision: what }
    case "turned away":
      return { ...plain, turnedAway: true }
    case "misbehaves": {
      const first = chance.pick(misbehaviours)
      return {
        ...plain,
        misbehaviours: chance.happens(secondMisbehaviourRate) ? [first, chance.pick(misbehaviours)] : [first]
      }
    }
  }
}

const clients_max = 6

/** Number of purchases planned for a client: more than the client can make during one group of faults. */
const purchases_max = 40

/** Services of the example catalogue. */
const reversibleService = 7
const plainServices = [1, 4, 8]

/** A sale that a client will make, and sometimes its reversal. */
export interface PlannedPurchase {
  readonly sale: ClientOperation
  /** Builds the operation that reverses the sale; null when the client keeps the sale. */
  readonly reversal: ((transactionId: number) => ClientOperation) | null
}

/** The purchases of every client, and how the suppliers handle each purchase. */
interface PlannedPurchases {
  readonly lists: ReadonlyArray<ReadonlyArray<PlannedPurchase>>
  readonly plans: ReadonlyArray<SupplierPlan>
}

const kindWeights = { plain: 55, reversible: 30, insurance: 15 }
export type PurchaseKind = keyof typeof kindWeights

/** Weight that is added to each kind of sale that a group of faults needs, so that clients choose this kind more often. */
const neededWeight = 60

const bodyOf = (chance: SeededRandom, service_id: number) => ({
  service_id,
  identifier: `809555${chance.between(1_000, 9_999)}`,
  amount: chance.between(100, 500)
})

interface PurchaseContext {
  readonly seed: number
  /** Unique name of this part of the run, such as "round 3 group 1". */
  readonly when: string
  readonly offers: ReadonlyArray<InsuranceOffer>
  readonly customers: ReadonlyArray<Customer>
  /** Kinds of sales during which servers pass the crash points of the group. */
  readonly needs: ReadonlyArray<PurchaseKind>
  /** Kind of sale whose suppliers mostly misbehave, so that recovery has open transactions to claim. */
  readonly troubled: PurchaseKind | null
}

/** Chooses the buyer and the request body of a purchase. */
const purchaseOf = (kind: PurchaseKind, chance: SeededRandom, { customers, offers }: PurchaseContext) => {
  if (kind !== "insurance") {
    const service = kind === "plain" ? chance.pick(plainServices) : reversibleService
    return { customer: chance.pick(customers), body: bodyOf(chance, service) }
  }
  // Several clients may try to buy the same quote, each under its own key.
  const { customer, insurance } = chance.pick(offers)
  const body = { service_id: insuranceServiceId, identifier: insurance.plate, opcion_id: insuranceOption(insurance.id) }
  return { customer, body }
}

const weightsOf = ({ needs }: PurchaseContext) => {
  const weights: Record<PurchaseKind, number> = { ...kindWeights }
  for (const kind of needs) weights[kind] += neededWeight
  return weights
}

const planPurchase = Effect.fnUntraced(function* (chance: SeededRandom, context: PurchaseContext, name: string) {
  const kind = chance.weighted(weightsOf(context))
  const { body, customer } = purchaseOf(kind, chance, context)
  const key = IdempotencyKey.make(name)
  const xid = yield* xidOf(customer.companyId, key)
  const sale: ClientOperation = { customer, key, xid, saleId: null, path: "/v1/recargas", body, responses: [] }
  const plan = supplierPlanOf(chance, xid, kind === context.troubled && kind !== "reversible")
  if (kind !== "reversible") return { purchase: { sale, reversal: null } satisfies PlannedPurchase, plans: [plan] }
  const back = IdempotencyKey.make(`${name} back`)
  const backXid = yield* reversalXidOf(customer.companyId, back)
  const reversal = (saleId: number): ClientOperation => ({
    customer,
    key: back,
    xid: backXid,
    saleId,
    path: `/v1/transacciones/${saleId}/anular`,
    body: {},
    responses: []
  })
  const planBack = supplierPlanOf(chance, backXid, kind === context.troubled)
  return { purchase: { sale, reversal } satisfies PlannedPurchase, plans: [plan, planBack] }
})

/** Plans the purchases of all clients during one group of faults, from the seed. */
export const planPurchases = Effect.fnUntraced(function* (context: PurchaseContext) {
  const chance = new SeededRandom(context.seed, `purchases of ${context.when}`)
  const lists: Array<ReadonlyArray<PlannedPurchase>> = []
  const plans: Array<SupplierPlan> = []
  for (let client = 1; client <= clients_max; client++) {
    const list: Array<PlannedPurchase> = []
    for (let number = 1; number <= purchases_max; number++) {
      const made = yield* planPurchase(chance, context, `${context.when} client ${client} purchase ${number}`)
      list.push(made.purchase)
      plans.push(...made.plans)
    }
    lists.push(list)
  }
  return { lists, plans } satisfies PlannedPurchases
})
