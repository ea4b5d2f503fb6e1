import type { ServiceType } from "../../../core/domain/Service.ts"
import type { Status } from "../../../core/domain/Status.ts"
import { Badge, type Tone } from "../ui/Badge.tsx"

/** The Spanish name of each status of a sale. */
export const statusNames: Readonly<Record<Status, string>> = {
  PROCESSING: "En proceso",
  PENDING: "Pendiente",
  SUCCESS: "Exitosa",
  FAILED: "Fallida",
  REVERSED: "Anulada"
}

const tones: Readonly<Record<Status, Tone>> = {
  PROCESSING: "info",
  PENDING: "warn",
  SUCCESS: "good",
  FAILED: "bad",
  REVERSED: "plain"
}

export const StatusBadge = ({ status }: { status: Status }) => <Badge tone={tones[status]}>{statusNames[status]}</Badge>

/** The Spanish name of each type of service. */
export const typeNames: Readonly<Record<ServiceType, string>> = {
  mobile_recharge: "Recargas",
  data_package: "Paquetes de datos",
  electricity_prepaid: "Electricidad prepagada",
  generic: "Otros pagos",
  insurance: "Seguros",
  platform_sport: "Apuestas deportivas"
}

/** How a sale or its reversal ended, in the middle of a sentence. */
export const shortNames = {
  exitosa: "se entregó",
  fallida: "no se entregó",
  anulada: "se anuló",
  no_anulada: "no se anuló"
} as const
