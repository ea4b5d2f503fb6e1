import type { PolicyFacts } from "../../core/domain/Insurance.ts"
import type { VehicleType } from "../../core/domain/InsuranceOffer.ts"
import { isTest } from "./TestMark.ts"

/** The colour of headings and frames. */
export const ink = "#12355b"

/** What the whole is called, on the policy and on the sticker. */
export const insuranceTitle = "Seguro obligatorio de vehículos de motor"

export const vehicleTypes = {
  automovil: "Automóvil",
  jeepeta: "Jeepeta",
  camioneta: "Camioneta",
  motocicleta: "Motocicleta"
} as const satisfies Record<VehicleType, string>

/** What a scanner shows, so that what is printed can be compared. Plain letters: some scanners know no others. */
export const codeOf = ({ plate, policy }: PolicyFacts): string =>
  [
    `POLIZA ${policy.number}`,
    `PLACA ${plate}`,
    `DESDE ${policy.validity.from}`,
    `HASTA ${policy.validity.until}`,
    ...(isTest(policy.number) ? ["PRUEBA SIN VALIDEZ"] : [])
  ].join("\n")
