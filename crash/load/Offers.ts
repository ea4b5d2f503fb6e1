import { Effect } from "effect"
import type { Insurance } from "../../core/domain/Insurance.ts"
import { Plate } from "../../core/domain/Person.ts"
import { Insurances } from "../../core/ports/Insurances.ts"
import { insuranceServiceId } from "../../tools/world/Insured.ts"
import { quoted } from "../../tools/world/StepsTaken.ts"
import type { Customer } from "../stage/Customers.ts"

/** A quote that may be bought, and by whom. */
export interface Offer {
  readonly customer: Customer
  readonly insurance: Insurance
}

/** No vehicle is insured twice in a run. */
const plates_from = 100_000

const together_max = 4

/** Takes so many vehicles through the steps before the sale: what crashes is what comes then. */
export const makeOffers = Effect.fnUntraced(function* (
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
        quoted(insurances, customer.companyId, 500_000 + number, changes),
        (insurance): Offer => ({ customer, insurance })
      )
    },
    { concurrency: together_max }
  )
})
