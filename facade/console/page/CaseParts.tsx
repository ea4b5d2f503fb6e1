import { Badge, type Tone } from "../ui/Badge.tsx"
import { pesos } from "../ui/Format.ts"
import type { api } from "./Client.ts"
import { statusNames } from "./SaleParts.tsx"

export type Case = Awaited<ReturnType<typeof api.casos.listar.query>>["items"][number]

export const providers = { dtone: "DT One", http: "Proveedor HTTP", simulador: "Simulador" } as const

export const kindNames: Readonly<Record<Case["tipo"], string>> = {
  solo_nuestro: "Falta en el extracto",
  solo_suyo: "Solo en el extracto",
  otro_monto: "Otro monto",
  otro_estado: "Otro estado"
}

export const stateNames: Readonly<Record<Case["estado"], string>> = {
  abierto: "Abierto",
  anotado: "Anotado",
  cerrado: "Cerrado"
}

const tones: Readonly<Record<Case["estado"], Tone>> = { abierto: "bad", anotado: "warn", cerrado: "plain" }

export const CaseBadge = ({ estado }: Pick<Case, "estado">) => <Badge tone={tones[estado]}>{stateNames[estado]}</Badge>

/** How one of the two sides, Saldo or the provider's statement, describes a sale. */
export const sideText = (side: Case["nuestro"]): string =>
  side === null ? "—" : `${statusNames[side.status]}${side.monto === null ? "" : `, ${pesos(side.monto)}`}`
