import { DateTime, Result, Schema } from "effect"
import { Invalid } from "./Errors.ts"
import { type Identifier, ServiceId } from "./Ids.ts"
import { type Amount, Centavos, toPesos } from "./Money.ts"
import type { Offered } from "./Option.ts"

/** What is sold. Contract: 1. */
export const ServiceType = Schema.Literals([
  "mobile_recharge",
  "data_package",
  "electricity_prepaid",
  "generic",
  "insurance",
  "platform_sport"
])
export type ServiceType = typeof ServiceType.Type

/** Is its identifier a phone number? */
export const sellsToPhones = (type: ServiceType): boolean => type === "mobile_recharge" || type === "data_package"

/** How it is sold. Contract: 1. */
export const Flow = Schema.Literals(["monto_libre", "paquetes", "facturas", "seguros"])
export type Flow = typeof Flow.Type

/** The flows whose price is that of an option which a lookup offered. */
export type OptionFlow = Extract<Flow, "paquetes" | "facturas">
export const takesOption = (flow: Flow): flow is OptionFlow => flow === "paquetes" || flow === "facturas"

/** A catalogue entry. Contract: 2.4. */
export const Service = Schema.Struct({
  id: ServiceId,
  name: Schema.String,
  description: Schema.String,
  type: ServiceType,
  category: Schema.String,
  categoryId: Schema.Int,
  /** 0 means no bound on that side. */
  minimum: Centavos,
  maximum: Centavos,
  reversible: Schema.Boolean,
  flow: Flow,
  requiresLookup: Schema.Boolean,
  howToBuy: Schema.String,
  /** What the provider calls it; null where it has no name of its own for it. */
  product: Schema.NullOr(Schema.String)
})
export type Service = typeof Service.Type

/** A group of services, with how many of them the company may sell. Contract: 2.4. */
export interface Category {
  readonly id: number
  readonly name: string
  readonly services: number
}

const lookupPath: Record<Exclude<Flow, "monto_libre">, string> = {
  paquetes: "/v1/consultas",
  facturas: "/v1/consultas",
  seguros: "/v1/seguros"
}

/** What a sale asks for, before the service has had its say. */
export interface Request {
  readonly identifier: Identifier
  readonly amount: Amount | null
  readonly optionId: string | null
}

/**
 * The price of what is asked for: the amount that the seller sent, within the service's range, or the price of the
 * option that a lookup offered. Contract: 4.5.
 *
 * @param option what the company's lookups know by the request's option id; null if nothing.
 */
export const price = (
  service: Service,
  request: Request,
  option: Offered | null,
  now: DateTime.Utc
): Result.Result<Amount, Invalid> =>
  service.flow === "monto_libre"
    ? freeAmount(service, request)
    : Result.mapError(priceOfOption(service, service.flow, request, option, now), (details) => new Invalid({ details }))

const freeAmount = ({ maximum, minimum }: Service, { amount, optionId }: Request): Result.Result<Amount, Invalid> => {
  // No lookup offers an option of such a service: whoever names one means to buy something else.
  if (optionId !== null) return Result.fail(new Invalid({ details: { opcion_id: "invalido" } }))
  if (amount === null) return Result.fail(new Invalid({ details: { amount: "requerido" } }))
  const below = amount < minimum
  const above = maximum > 0 && amount > maximum
  return below || above
    ? Result.fail(
        new Invalid({
          details: { amount: "fuera_de_rango", monto_minimo: toPesos(minimum), monto_maximo: toPesos(maximum) }
        })
      )
    : Result.succeed(amount)
}

const priceOfOption = (
  { howToBuy, id }: Service,
  flow: Exclude<Flow, "monto_libre">,
  { amount, identifier, optionId }: Request,
  option: Offered | null,
  now: DateTime.Utc
): Result.Result<Amount, Invalid["details"]> => {
  if (optionId === null) {
    return Result.fail({
      opcion_id: "requerido",
      flujo: flow,
      consultar_en: lookupPath[flow],
      como_comprar: howToBuy
    })
  }
  if (option?.serviceId !== id || option.identifier !== identifier) return Result.fail({ opcion_id: "invalido" })
  if (DateTime.isLessThanOrEqualTo(option.expiresAt, now)) return Result.fail({ opcion_id: "vencida" })
  return amount === null || amount === option.price
    ? Result.succeed(option.price)
    : Result.fail({ amount: "no_coincide", precio_real: toPesos(option.price) })
}

const folded = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/\p{Diacritic}/gu, "")
    .toLowerCase()

/** Which services to show: an exact category, a part of the name without regard to case or accents. Contract: 4.3. */
export interface CatalogueFilter {
  readonly category?: string | undefined
  readonly name?: string | undefined
}

export const matching = (services: ReadonlyArray<Service>, filter: CatalogueFilter): ReadonlyArray<Service> => {
  const wanted = filter.name === undefined ? "" : folded(filter.name)
  return services.filter(
    (service) =>
      (filter.category === undefined || service.category === filter.category) && folded(service.name).includes(wanted)
  )
}

/** The categories of these services, in order of id. */
export const categoriesOf = (services: ReadonlyArray<Service>): ReadonlyArray<Category> => {
  const byId = new Map<number, Category>()
  for (const service of services) {
    const known = byId.get(service.categoryId)
    byId.set(service.categoryId, {
      id: service.categoryId,
      name: service.category,
      services: (known?.services ?? 0) + 1
    })
  }
  return [...byId.values()].sort((left, right) => left.id - right.id)
}
