import type { ServiceType } from "../../../core/domain/Service.ts"
import type { Status } from "../../../core/domain/Status.ts"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { useLive } from "../ui/Live.ts"
import { api } from "./Client.ts"

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

/** The options of a choice from names by value, with one for every value. */
export const optionsOf = (names: Readonly<Record<string, string>>, all = "Todos") => [
  { value: "", label: all },
  ...Object.entries(names).map(([value, label]) => ({ value, label }))
]

/** The names of the companies by id, loaded once. Until then, and for an unknown company, the id. */
export const useCompanies = () => {
  const { data = [] } = useLive(() => api.empresas.listar.query({}), "empresas")
  const names = new Map(data.map(({ empresa_id, razon_social }) => [empresa_id, razon_social]))
  return {
    nameOf: (id: number): string => names.get(id) ?? `Empresa ${id}`,
    options: [
      { value: "", label: "Todas" },
      ...data.map(({ empresa_id, razon_social }) => ({ value: String(empresa_id), label: razon_social }))
    ]
  }
}

/** The given names in the query of an address, without empty ones. */
export const filterIn = (query: URLSearchParams, names: ReadonlyArray<string>): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = query.get(name)
      return value === null || value === "" ? [] : [[name, value]]
    })
  )
