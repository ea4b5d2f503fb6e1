import type { PolicyFacts } from "../../core/domain/Insurance.ts"
import type { VehicleType } from "../../core/domain/InsuranceOffer.ts"
import { isTest } from "./TestMark.ts"

/** The colour of headings and frames. */
export const ink = "#12355b"

/** The title of the policy and of the sticker. */
export const insuranceTitle = "Seguro obligatorio de vehículos de motor"

export const vehicleTypes = {
  automovil: "Automóvil",
  jeepeta: "Jeepeta",
  camioneta: "Camioneta",
  motocicleta: "Motocicleta"
} as const satisfies Record<VehicleType, string>

/**
 * The content of the QR code, for comparison with the printed text. It uses ASCII only, because some scanners show
 * nothing else.
 */
export const codeOf = ({ plate, policy }: PolicyFacts): string =>
  [
    `POLIZA ${policy.number}`,
    `PLACA ${plate}`,
    `DESDE ${policy.validity.from}`,
    `HASTA ${policy.validity.until}`,
    ...(isTest(policy.number) ? ["PRUEBA SIN VALIDEZ"] : [])
  ].join("\n")
