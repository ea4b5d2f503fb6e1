import { DateTime, Effect } from "effect"
import type { IssuedPolicy } from "../../core/domain/Insurance.ts"
import {
  InsuranceRejected,
  InsuranceUnavailable,
  PolicyActive,
  VehicleUnsupported
} from "../../core/domain/InsuranceErrors.ts"
import {
  type Extra,
  type ExtraCode,
  type Plan,
  type Vehicle,
  type VehicleType,
  type Version,
  validFor
} from "../../core/domain/InsuranceOffer.ts"
import { periodsAt } from "../../core/domain/LocalTime.ts"
import { Amount } from "../../core/domain/Money.ts"
import type { Plate } from "../../core/domain/Person.ts"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { DispatchAnswer, type Order } from "../../core/domain/Sale.ts"
import type { CaseVersion, Inspected, Insurer, OwnerAndPlate, QuoteRequest } from "../../core/ports/Insurer.ts"
import { isLeftPending, simulatedCode, standing } from "../provider/SimulatedProvider.ts"

interface SimulatedPlan extends Omit<Plan, "price"> {
  readonly prices: Readonly<Record<VehicleType, number>>
}

const planTable: ReadonlyArray<SimulatedPlan> = [
  {
    code: "LEY-6",
    name: "Ley, seis meses",
    coverage: "Lesiones y daños a terceros, lo que la ley exige, por seis meses.",
    months: 6,
    suggested: false,
    prices: { automovil: 325_000, jeepeta: 410_000, camioneta: 435_000, motocicleta: 95_000 }
  },
  {
    code: "LEY-12",
    name: "Ley, un año",
    coverage: "Lesiones y daños a terceros, lo que la ley exige, por un año.",
    months: 12,
    suggested: true,
    prices: { automovil: 595_050, jeepeta: 745_000, camioneta: 790_000, motocicleta: 165_000 }
  },
  {
    code: "LEY-PLUS-12",
    name: "Ley ampliado, un año",
    coverage: "El doble de los límites de la ley por lesiones y daños a terceros, y fianza judicial, por un año.",
    months: 12,
    suggested: false,
    prices: { automovil: 890_000, jeepeta: 1_120_000, camioneta: 1_185_000, motocicleta: 290_000 }
  }
]

/** The extras that the simulator offers. */
const simulatedExtras: ReadonlyArray<Extra> = [
  { code: "grua", name: "Servicio de grúa", price: Amount.make(85_000) },
  { code: "casa_conductor", name: "Casa del conductor", price: Amount.make(60_000) }
]

/** The plans for a type of vehicle. */
const simulatedPlans = (type: VehicleType): ReadonlyArray<Plan> =>
  planTable.map(({ prices, ...plan }) => ({ ...plan, price: Amount.make(prices[type]) }))

/** The duration of a plan in months. Undefined if there is no such plan. */
const simulatedMonths = (wanted: string | undefined): number | undefined =>
  planTable.find(({ code }) => code === wanted)?.months

/** The price of a plan with the chosen extras. */
const simulatedTotal = ({ price }: Plan, wanted: ReadonlyArray<ExtraCode>): Amount => {
  const extras = simulatedExtras.filter(({ code }) => wanted.includes(code))
  return Amount.make(extras.reduce<number>((total, extra) => total + extra.price, price))
}

/** A vehicle model and the ids of its versions. The first version is the most common. */
interface Model {
  readonly brand: string
  readonly model: string
  readonly versions: readonly [string, ...ReadonlyArray<string>]
}

// The ids contain characters that URLs must escape (space, plus, ampersand), because real ids do too.
const modelTable: Readonly<Record<VehicleType, readonly [Model, ...ReadonlyArray<Model>]>> = {
  automovil: [
    { brand: "Toyota", model: "Corolla", versions: ["LE 1.8", "XSE 2.0", "L 1.8"] },
    { brand: "Honda", model: "Civic", versions: ["EX 1.5 T", "LX 2.0"] },
    { brand: "Hyundai", model: "Accent", versions: ["GLS+ 1.6", "GL 1.6"] },
    { brand: "Kia", model: "Picanto", versions: ["LX 1.0", "EX 1.2"] }
  ],
  jeepeta: [
    { brand: "Honda", model: "CR-V", versions: ["EX 2.4 4x2", "EX-L 2.4 4x4", "LX 2.4"] },
    { brand: "Hyundai", model: "Tucson", versions: ["GLS 2.0", "Limited 2.0 & Techo"] },
    { brand: "Toyota", model: "RAV4", versions: ["XLE 2.5", "LE 2.5"] }
  ],
  camioneta: [
    { brand: "Toyota", model: "Hilux", versions: ["SR 2.8 D/C", "DX 2.4 C/S"] },
    { brand: "Nissan", model: "Frontier", versions: ["LE 2.5 4x4", "S 2.5 4x2", "XE 2.5"] }
  ],
  motocicleta: [
    { brand: "Honda", model: "C 50", versions: ["49 cc", "Súper Cub 49 cc"] },
    { brand: "Suzuki", model: "AX100", versions: ["100 cc", "100 cc Sport+"] }
  ]
}

/** The vehicle type by the first letter of the plate: K motorcycle, G SUV (jeepeta), L pick-up. */
const typeOf = (plate: Plate): VehicleType => {
  switch (plate[0]) {
    case "K":
      return "motocicleta"
    case "G":
      return "jeepeta"
    case "L":
      return "camioneta"
    default:
      return "automovil"
  }
}

const year_min = 2008
const years = 17

/**
 * The digits of the plate that choose the example vehicle: all except the last digit. The last digit selects the
 * scenario.
 */
const seedOf = (plate: Plate): number => Number(plate.slice(1, -1))

const pickBySeed = <A>([first, ...others]: readonly [A, ...ReadonlyArray<A>], seed: number): A =>
  [first, ...others][seed % (1 + others.length)] ?? first

const modelOf = (plate: Plate): Model => pickBySeed(modelTable[typeOf(plate)], seedOf(plate))

/** The fictitious owner of every simulated vehicle. */
const simulatedHolder = "Titular de Prueba"

/** The vehicle of a plate. The same plate always has the same vehicle. */
const simulatedVehicle = (plate: Plate): Vehicle => {
  const { brand, model } = modelOf(plate)
  return {
    brand,
    model,
    year: year_min + (seedOf(plate) % years),
    type: typeOf(plate),
    chassis: `9SBX${plate[0]}${plate.slice(1).padStart(12, "0")}`
  }
}

/**
 * The versions of the plate's model. If the plate ends in 6, there is only one version. If it ends in 7, no version is
 * marked as suggested.
 */
const simulatedVersions = (plate: Plate): ReadonlyArray<Version> => {
  const { model, versions } = modelOf(plate)
  const sold = plate.endsWith("6") ? versions.slice(0, 1) : versions
  return sold.map((id, index) => ({
    id,
    name: `${model} ${id}`,
    suggested: index === 0 && !plate.endsWith("7")
  }))
}

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

/** The simulator's id of a quote. It contains everything that was requested, because the simulator stores nothing. */
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

/** The first day of next month. From that day, an active policy may be renewed in the simulator. */
const nextMonth = Effect.map(DateTime.now, (now) =>
  DateTime.formatIsoDateUtc(DateTime.add(DateTime.makeUnsafe(periodsAt(now).month), { months: 1 }))
)

/**
 * The policy of an order. Null if the simulator issues no policy for the order. The letter of the plate may be upper or
 * lower case.
 */
const policyOf = ({ createdAt, identifier, reference, xid }: Order): IssuedPolicy | null => {
  const [quoted, plan] = reference?.split(":") ?? []
  const months = quoted === caseOf(identifier.toUpperCase()) ? simulatedMonths(plan) : undefined
  if (months === undefined || identifier.endsWith("1")) return null
  // The policy is valid from the day of the sale, so that every answer about one policy is the same.
  return { number: simulatedCode(xid), validity: validFor(createdAt, months) }
}

const refusal = { refusal: "SEGURO_NO_EMITIDO" } as const

const issue = (order: Order): DispatchAnswer<IssuedPolicy> => {
  const policy = policyOf(order)
  if (policy === null) return DispatchAnswer.Refused(refusal)
  return isLeftPending(order) ? DispatchAnswer.Unknown() : DispatchAnswer.Delivered({ delivery: policy })
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
 * The simulator stores nothing, so it also knows a sale that was reserved but never sent. Contract: 4.6 and 7.
 */
export const simulatedInsurer: Insurer = {
  inspect,
  plans,
  quote,
  issue: (order) => Effect.sync(() => issue(order)),
  status: (order) => Effect.map(DateTime.now, (now) => status(order, now))
}
