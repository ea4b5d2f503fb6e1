import { Data, Schema } from "effect"
import type { Company } from "./Company.ts"
import { ServiceId } from "./Ids.ts"
import { Centavos } from "./Money.ts"

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

/** The flows whose services somebody can be asked about. Contract: 2.6. */
export const LookupFlow = Flow.pick(["monto_libre", "paquetes", "facturas"])
export type LookupFlow = typeof LookupFlow.Type

/** The flows in which a sale names what it buys. */
export const NamingFlow = Flow.pick(["paquetes", "facturas", "seguros"])
export type NamingFlow = typeof NamingFlow.Type

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

/** Whether a company may sell a service. Contract: 7. */
export type Availability = Data.TaggedEnum<{
  Available: { readonly service: Service }
  /** It could, if insurance were enabled for it. Contract: 4.6. */
  InsuranceNotEnabled: {}
  /** There is no such service, it is not active, or it is withheld from the company. */
  Unknown: {}
}>
export const Availability = Data.taggedEnum<Availability>()

/** Insurance is only for companies for which it is enabled. Contract: 4.6. */
export const mayBeSoldBy = ({ insuranceEnabled }: Company, { type }: Service): boolean =>
  insuranceEnabled || type !== "insurance"

/** Whether a company may sell this one, which is not withheld from it; undefined where there is none. */
export const availabilityTo = (company: Company, service: Service | undefined): Availability => {
  if (service === undefined) return Availability.Unknown()
  return mayBeSoldBy(company, service) ? Availability.Available({ service }) : Availability.InsuranceNotEnabled()
}

/** A group of services, with how many of them the company may sell. Contract: 2.4. */
export interface Category {
  readonly id: number
  readonly name: string
  readonly services: number
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
