import { DateTime, Effect } from "effect"
import type { IssuedPolicy } from "../../core/domain/Insurance.ts"
import {
  InsuranceRejected,
  InsuranceUnavailable,
  PolicyActive,
  VehicleUnsupported
} from "../../core/domain/InsuranceErrors.ts"
import { type Version, validFor } from "../../core/domain/InsuranceOffer.ts"
import { periodsAt } from "../../core/domain/LocalTime.ts"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { Answer, type Order } from "../../core/domain/Sale.ts"
import type { CaseVersion, Inspected, Insurer, OwnerAndPlate, QuoteRequest } from "../../core/ports/Insurer.ts"
import { isLeftPending, simulatedCode, standing } from "../provider/SimulatedSale.ts"
import { simulatedExtras, simulatedMonths, simulatedPlans, simulatedTotal } from "./SimulatedPlans.ts"
import { simulatedHolder, simulatedVehicle, simulatedVersions } from "./SimulatedVehicles.ts"

/** The simulator's id of a case. It contains the plate, because the simulator stores nothing. */
const caseOf = (plate: string): string => `SIM-${plate}`

const inspect = ({
  plate
}: OwnerAndPlate): Effect.Effect<Inspected, InsuranceRejected | VehicleUnsupported | InsuranceUnavailable> => {
  switch (plate.at(-1)) {
    case "0":
      return Effect.fail(new InsuranceRejected({ reason: "La cédula no es la del dueño de este vehículo." }))
    case "4":
      return Effect.fail(new VehicleUnsupported())
    case "5":
      return Effect.fail(new InsuranceUnavailable())
    default:
      return Effect.succeed({
        reference: caseOf(plate),
        holder: simulatedHolder,
        vehicle: simulatedVehicle(plate),
        renewal: plate.endsWith("9"),
        versions: simulatedVersions(plate)
      })
  }
}

/** The version of the case. Rejects a case or version that the simulator does not offer. */
const versionOf = ({ plate, reference, version }: CaseVersion): Effect.Effect<Version, InsuranceRejected> => {
  const found = reference === caseOf(plate) ? simulatedVersions(plate).find(({ id }) => id === version) : undefined
  return found === undefined
    ? Effect.fail(new InsuranceRejected({ reason: "La aseguradora no conoce esta versión del vehículo." }))
    : Effect.succeed(found)
}

const plans = Effect.fnUntraced(function* (of: CaseVersion) {
  const { name } = yield* versionOf(of)
  const { brand, type, year } = simulatedVehicle(of.plate)
  return { detail: `${brand} ${name}, ${year}`, plans: simulatedPlans(type), extras: simulatedExtras }
})

/** The simulator's id of a quote: everything that was asked for. */
const quoteReference = ({ extras, plan, reference, version }: QuoteRequest): string =>
  [reference, plan, version, ...extras].join(":")

const quote = Effect.fnUntraced(function* (wanted: QuoteRequest) {
  yield* versionOf(wanted)
  const { extras, plate } = wanted
  const plan = simulatedPlans(simulatedVehicle(plate).type).find(({ code }) => code === wanted.plan)
  if (plan === undefined) return yield* new InsuranceRejected({ reason: "La aseguradora no conoce este plan." })
  if (plate.endsWith("3")) return yield* new PolicyActive({ renewableFrom: yield* nextMonth })
  return { reference: quoteReference(wanted), total: simulatedTotal(plan, extras) }
})

/** The first day of next month, when a policy that is active now may be renewed. */
const nextMonth = Effect.map(DateTime.now, (now) =>
  DateTime.formatIsoDateUtc(DateTime.add(DateTime.makeUnsafe(periodsAt(now).month), { months: 1 }))
)

/** The policy of an order. Null if the simulator issues none. The plate's letter may be upper or lower case. */
const policyOf = ({ createdAt, identifier, reference, xid }: Order): IssuedPolicy | null => {
  const [quoted, plan] = reference?.split(":") ?? []
  const months = quoted === caseOf(identifier.toUpperCase()) ? simulatedMonths(plan) : undefined
  if (months === undefined || identifier.endsWith("1")) return null
  // Valid from the day of the sale, so that every answer about a policy is the same.
  return { number: simulatedCode(xid), validity: validFor(createdAt, months) }
}

const refusal = { refusal: "SEGURO_NO_EMITIDO" } as const

const issue = (order: Order): Answer<IssuedPolicy> => {
  const policy = policyOf(order)
  if (policy === null) return Answer.Refused(refusal)
  return isLeftPending(order) ? Answer.Unknown() : Answer.Delivered({ delivery: policy })
}

const status = (order: Order, now: DateTime.Utc): StatusAnswer<IssuedPolicy> => {
  const policy = policyOf(order)
  const stands = policy === null ? "denied" : standing(order, now)
  if (policy === null || stands === "denied") return StatusAnswer.Refused(refusal)
  return stands === "undecided" ? StatusAnswer.Unknown() : StatusAnswer.Delivered({ delivery: policy })
}

/**
 * Simulated insurer. The last digit of the plate selects the scenario:
 * - Inspection: 0 is rejected, 4 is an unsupported vehicle, 5 makes the insurer unavailable.
 * - Quote: 3 already has an active policy.
 * - Sale: 1 is refused and 2 stays pending, as in every simulated sale.
 *
 * It stores nothing, so it also answers about a sale that was reserved but never sent. Contract: 4.6 and 7.
 */
export const simulator: Insurer = {
  inspect,
  plans,
  quote,
  issue: (order) => Effect.sync(() => issue(order)),
  status: (order) => Effect.map(DateTime.now, (now) => status(order, now))
}
