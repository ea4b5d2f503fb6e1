import { Data, Schema } from "effect"
import type { Company } from "./Company.ts"
import { ServiceId } from "./Ids.ts"
import { Amount, Centavos } from "./Money.ts"
import { withoutAccents } from "./Text.ts"

/** A product with a fixed price, sold by a service with the flow `paquetes`. Contract: 2.4. */
export const Package = Schema.Struct({
  id: Schema.Int,
  serviceId: ServiceId,
  code: Schema.String,
  name: Schema.String,
  description: Schema.String,
  price: Amount,
  /** Validity in words: `7 días`. */
  duration: Schema.String,
  /** Data volume in words: `2 GB`. */
  data: Schema.String,
  minutes: Schema.Int,
  sms: Schema.Int
})
export type Package = typeof Package.Type

/** Product type of a service. Contract: 1. */
export const ServiceType = Schema.Literals([
  "mobile_recharge",
  "data_package",
  "electricity_prepaid",
  "generic",
  "insurance",
  "platform_sport"
])
export type ServiceType = typeof ServiceType.Type

/** Whether the identifier is a phone number. */
export const sellsToPhones = (type: ServiceType): boolean => type === "mobile_recharge" || type === "data_package"

/** Sale flow of a service. Contract: 1. */
export const Flow = Schema.Literals(["monto_libre", "paquetes", "facturas", "seguros"])
export type Flow = typeof Flow.Type

/** Flows with a lookup. Contract: 2.6. */
export const LookupFlow = Flow.pick(["monto_libre", "paquetes", "facturas"])
export type LookupFlow = typeof LookupFlow.Type

/** Flows in which a sale must name an option. */
export const NamingFlow = Flow.pick(["paquetes", "facturas", "seguros"])
export type NamingFlow = typeof NamingFlow.Type

/** Flows in which the option of a lookup sets the price. */
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
  /** The provider's id of the service. Null if the provider has none. */
  product: Schema.NullOr(Schema.String)
})
export type Service = typeof Service.Type

/** Whether a company may sell a service. Contract: 7. */
export type Availability = Data.TaggedEnum<{
  Available: { readonly service: Service }
  /** The service is insurance, which is not enabled for the company. Contract: 4.6. */
  InsuranceNotEnabled: {}
  /** The service does not exist, is not active, or is withheld from the company. */
  Unknown: {}
}>
export const Availability = Data.taggedEnum<Availability>()

/** Whether the company may sell services of this type. Insurance must be enabled per company. Contract: 4.6. */
export const mayBeSoldBy = ({ insuranceEnabled }: Company, { type }: Service): boolean =>
  insuranceEnabled || type !== "insurance"

/**
 * Availability of a service that is not withheld from the company. `undefined` means that the service does not exist.
 */
export const availabilityTo = (company: Company, service: Service | undefined): Availability => {
  if (service === undefined) return Availability.Unknown()
  return mayBeSoldBy(company, service) ? Availability.Available({ service }) : Availability.InsuranceNotEnabled()
}

/** A category with the number of its services that the company may sell. Contract: 2.4. */
export interface Category {
  readonly id: number
  readonly name: string
  readonly services: number
}

/** Filter of the catalogue: exact category, and part of the name, ignoring case and accents. Contract: 4.3. */
export interface CatalogueFilter {
  readonly category?: string | undefined
  readonly name?: string | undefined
}

export const matching = (services: ReadonlyArray<Service>, filter: CatalogueFilter): ReadonlyArray<Service> => {
  const wanted = withoutAccents((filter.name ?? "").trim())
  return services.filter(
    (service) =>
      (filter.category === undefined || service.category === filter.category) &&
      withoutAccents(service.name).includes(wanted)
  )
}

/** The categories of the services, ordered by id. */
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
