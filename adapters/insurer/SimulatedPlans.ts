import type { Extra, ExtraCode, Plan, VehicleType } from "../../core/domain/InsuranceOffer.ts"
import { Amount } from "../../core/domain/Money.ts"

interface SimulatedPlan extends Omit<Plan, "price"> {
  readonly prices: Readonly<Record<VehicleType, number>>
}

const plans: ReadonlyArray<SimulatedPlan> = [
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
export const simulatedExtras: ReadonlyArray<Extra> = [
  { code: "grua", name: "Servicio de grúa", price: Amount.make(85_000) },
  { code: "casa_conductor", name: "Casa del conductor", price: Amount.make(60_000) }
]

/** The plans for a type of vehicle. */
export const simulatedPlans = (type: VehicleType): ReadonlyArray<Plan> =>
  plans.map(({ prices, ...plan }) => ({ ...plan, price: Amount.make(prices[type]) }))

/** The duration of a plan in months. Undefined if there is no such plan. */
export const simulatedMonths = (wanted: string | undefined): number | undefined =>
  plans.find(({ code }) => code === wanted)?.months

/** The price of a plan with the chosen extras. */
export const simulatedTotal = ({ price }: Plan, wanted: ReadonlyArray<ExtraCode>): Amount => {
  const extras = simulatedExtras.filter(({ code }) => wanted.includes(code))
  return Amount.make(extras.reduce<number>((total, extra) => total + extra.price, price))
}
