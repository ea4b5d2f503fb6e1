import { Effect } from "effect"
import { reversalXidOf, xidOf } from "../../core/domain/Idempotency.ts"
import { IdempotencyKey } from "../../core/domain/Ids.ts"
import { type Insurance, insuranceOption } from "../../core/domain/Insurance.ts"
import { Plate } from "../../core/domain/Person.ts"
import { Insurances } from "../../core/ports/Insurances.ts"
import { misbehaviours } from "../fakes/FakeServer.ts"
import { insuranceServiceId } from "../support/InsuranceExample.ts"
import { quotedInsurance } from "../support/InsuranceStages.ts"
import { SeededRandom } from "../support/SeededRandom.ts"
import type { ClientOperation } from "./Clients.ts"
import type { Customer } from "./environment/Environment.ts"
import type { SupplierPlan } from "./processes/StdinCommands.ts"

/** A quote that may be bought, and by whom. */
export interface InsuranceOffer {
  readonly customer: Customer
  readonly insurance: Insurance
}

/** No vehicle is insured twice in a run. */
const plates_from = 100_000

const concurrency_max = 4

/** Takes so many vehicles through the steps before the sale: what crashes is what comes then. */
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
      const changes = { environment: "production", serviceId: insuranceServiceId, plate } as const
      return Effect.map(
        quotedInsurance(insurances, customer.companyId, 500_000 + number, changes),
        (insurance): InsuranceOffer => ({ customer, insurance })
      )
    },
    { concurrency: concurrency_max }
  )
})

/** How often of a thousand something comes of what suppliers are told. */
const usualWeights = { done: 740, refused: 60, pending: 5, "turned away": 35, misbehaves: 160 }
const troubledWeights = { done: 300, refused: 0, pending: 0, "turned away": 0, misbehaves: 700 }

/** Now and then the first question about it is met no better. */
const secondMisbehaviourRate = 0.3

/** What becomes of something at its supplier. */
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

const clients_max = 10

/** More than a client gets to while the mishaps of a hand happen. */
const purchases_max = 40

/** Services of the example catalogue. */
const reversibleService = 7
const plainServices = [1, 4, 8]

/** What a client of the shop wants next: a sale, and sometimes to have it back. */
export interface PlannedPurchase {
  readonly sale: ClientOperation
  /** The errand that takes the sale back, once it is known by which id; null for one that is kept. */
  readonly reversal: ((transactionId: number) => ClientOperation) | null
}

/** What clients want, a list a client, and what becomes of it at the suppliers. */
interface PlannedPurchases {
  readonly lists: ReadonlyArray<ReadonlyArray<PlannedPurchase>>
  readonly plans: ReadonlyArray<SupplierPlan>
}

const kindWeights = { plain: 55, reversible: 30, insurance: 15 }
export type PurchaseKind = keyof typeof kindWeights

/** What a hand needs is wanted so much oftener. */
const neededWeight = 60

const bodyOf = (chance: SeededRandom, service_id: number) => ({
  service_id,
  identifier: `809555${chance.between(1_000, 9_999)}`,
  amount: chance.between(100, 500)
})

interface PurchaseContext {
  readonly seed: number
  /** When in the run, in words that no other place has. */
  readonly when: string
  readonly offers: ReadonlyArray<InsuranceOffer>
  readonly customers: ReadonlyArray<Customer>
  /** What has to be sold for something to happen at the points of the hand. */
  readonly needs: ReadonlyArray<PurchaseKind>
  /** Whose suppliers are in trouble more often than not: there is to be something to recover. */
  readonly troubled: PurchaseKind | null
}

/** What somebody buys. */
const purchaseOf = (kind: PurchaseKind, chance: SeededRandom, { customers, offers }: PurchaseContext) => {
  if (kind !== "insurance") {
    const service = kind === "plain" ? chance.pick(plainServices) : reversibleService
    return { customer: chance.pick(customers), body: bodyOf(chance, service) }
  }
  // One quote may be wanted by several, each under a key of his own.
  const { customer, insurance } = chance.pick(offers)
  const body = { service_id: insuranceServiceId, identifier: insurance.plate, opcion_id: insuranceOption(insurance.id) }
  return { customer, body }
}

const weightsOf = ({ needs }: PurchaseContext) => {
  const weights: Record<PurchaseKind, number> = { ...kindWeights }
  for (const kind of needs) weights[kind] += neededWeight
  return weights
}

const planPurchase = Effect.fnUntraced(function* (chance: SeededRandom, place: PurchaseContext, name: string) {
  const kind = chance.weighted(weightsOf(place))
  const { body, customer } = purchaseOf(kind, chance, place)
  const key = IdempotencyKey.make(name)
  const xid = yield* xidOf(customer.companyId, key)
  const sale: ClientOperation = { customer, key, xid, saleId: null, path: "/v1/recargas", body, answers: [] }
  const plan = supplierPlanOf(chance, xid, kind === place.troubled && kind !== "reversible")
  if (kind !== "reversible") return { wish: { sale, reversal: null } satisfies PlannedPurchase, plans: [plan] }
  const back = IdempotencyKey.make(`${name} back`)
  const backXid = yield* reversalXidOf(customer.companyId, back)
  const reversal = (saleId: number): ClientOperation => ({
    customer,
    key: back,
    xid: backXid,
    saleId,
    path: `/v1/transacciones/${saleId}/anular`,
    body: {},
    answers: []
  })
  const planBack = supplierPlanOf(chance, backXid, kind === place.troubled)
  return { wish: { sale, reversal } satisfies PlannedPurchase, plans: [plan, planBack] }
})

/** What clients want at a place, by its seed. */
export const planPurchases = Effect.fnUntraced(function* (place: PurchaseContext) {
  const chance = new SeededRandom(place.seed, `wishes of ${place.when}`)
  const lists: Array<ReadonlyArray<PlannedPurchase>> = []
  const plans: Array<SupplierPlan> = []
  for (let client = 1; client <= clients_max; client++) {
    const list: Array<PlannedPurchase> = []
    for (let number = 1; number <= purchases_max; number++) {
      const made = yield* planPurchase(chance, place, `${place.when} client ${client} wish ${number}`)
      list.push(made.wish)
      plans.push(...made.plans)
    }
    lists.push(list)
  }
  return { lists, plans } satisfies PlannedPurchases
})
