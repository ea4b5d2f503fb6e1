import { Effect } from "effect"
import { IdempotencyKey } from "../../core/domain/Ids.ts"
import { insuranceOption } from "../../core/domain/Insurance.ts"
import { reversalXidOf, xidOf } from "../../core/domain/Xid.ts"
import { Chance } from "../../tools/Chance.ts"
import { insuranceServiceId } from "../../tools/world/Insured.ts"
import type { Customer } from "../stage/Customers.ts"
import type { Plan } from "../supplier/Plan.ts"
import type { Errand } from "./Errand.ts"
import type { Offer } from "./Offers.ts"
import { troubleOf } from "./Trouble.ts"

const clients_max = 10

/** More than a client gets to while the mishaps of a hand happen. */
const wishes_max = 40

/** Services of the example catalogue. */
const reversibleService = 7
const plainServices = [1, 4, 8]

/** What a client of the shop wants next: a sale, and sometimes to have it back. */
export interface Wish {
  readonly sale: Errand
  /** The errand that takes the sale back, once it is known by which id; null for one that is kept. */
  readonly reversal: ((transactionId: number) => Errand) | null
}

/** What clients want, a list a client, and what becomes of it at the suppliers. */
interface Wishes {
  readonly lists: ReadonlyArray<ReadonlyArray<Wish>>
  readonly plans: ReadonlyArray<Plan>
}

const kinds = { plain: 55, reversible: 30, insurance: 15 }
export type Kind = keyof typeof kinds

/** What a hand needs is wanted so much oftener. */
const needed = 60

const bodyOf = (chance: Chance, service_id: number) => ({
  service_id,
  identifier: `809555${chance.between(1_000, 9_999)}`,
  amount: chance.between(100, 500)
})

interface Place {
  readonly seed: number
  /** When in the run, in words that no other place has. */
  readonly when: string
  readonly offers: ReadonlyArray<Offer>
  readonly customers: ReadonlyArray<Customer>
  /** What has to be sold for something to happen at the points of the hand. */
  readonly needs: ReadonlyArray<Kind>
  /** Whose suppliers are in trouble more often than not: there is to be something to recover. */
  readonly troubled: Kind | null
}

/** What somebody buys. */
const bought = (kind: Kind, chance: Chance, { customers, offers }: Place) => {
  if (kind !== "insurance") {
    const service = kind === "plain" ? chance.pick(plainServices) : reversibleService
    return { customer: chance.pick(customers), body: bodyOf(chance, service) }
  }
  // One quote may be wanted by several, each under a key of his own.
  const { customer, insurance } = chance.pick(offers)
  const body = { service_id: insuranceServiceId, identifier: insurance.plate, opcion_id: insuranceOption(insurance.id) }
  return { customer, body }
}

const weightsOf = ({ needs }: Place) => {
  const weights: Record<Kind, number> = { ...kinds }
  for (const kind of needs) weights[kind] += needed
  return weights
}

const wishOf = Effect.fnUntraced(function* (chance: Chance, place: Place, name: string) {
  const kind = chance.weighted(weightsOf(place))
  const { body, customer } = bought(kind, chance, place)
  const key = IdempotencyKey.make(name)
  const xid = yield* xidOf(customer.companyId, key)
  const sale: Errand = { customer, key, xid, saleId: null, path: "/v1/recargas", body, answers: [] }
  const plan = troubleOf(chance, xid, kind === place.troubled && kind !== "reversible")
  if (kind !== "reversible") return { wish: { sale, reversal: null } satisfies Wish, plans: [plan] }
  const back = IdempotencyKey.make(`${name} back`)
  const backXid = yield* reversalXidOf(customer.companyId, back)
  const reversal = (saleId: number): Errand => ({
    customer,
    key: back,
    xid: backXid,
    saleId,
    path: `/v1/transacciones/${saleId}/anular`,
    body: {},
    answers: []
  })
  const planBack = troubleOf(chance, backXid, kind === place.troubled)
  return { wish: { sale, reversal } satisfies Wish, plans: [plan, planBack] }
})

/** What clients want at a place, by its seed. */
export const wishesOf = Effect.fnUntraced(function* (place: Place) {
  const chance = new Chance(place.seed, `wishes of ${place.when}`)
  const lists: Array<ReadonlyArray<Wish>> = []
  const plans: Array<Plan> = []
  for (let client = 1; client <= clients_max; client++) {
    const list: Array<Wish> = []
    for (let number = 1; number <= wishes_max; number++) {
      const made = yield* wishOf(chance, place, `${place.when} client ${client} wish ${number}`)
      list.push(made.wish)
      plans.push(...made.plans)
    }
    lists.push(list)
  }
  return { lists, plans } satisfies Wishes
})
