import type { Package } from "./Package.ts"
import { type Service, takesOption } from "./Service.ts"

/** A group of services as the operator writes it. */
interface CategoryDraft {
  readonly id: number
  readonly name: string
}

/** A service as the operator writes it, on sale or not. Contract: 2.4. */
type ServiceDraft = Omit<Service, "category"> & { readonly active: boolean }

/** A package as the operator writes it, on sale or not. Contract: 2.4. */
type PackageDraft = Package & { readonly active: boolean }

/** Entries to add or to replace; what a draft does not name stays as it is. */
export interface CatalogueDraft {
  readonly categories: ReadonlyArray<CategoryDraft>
  readonly services: ReadonlyArray<ServiceDraft>
  readonly packages: ReadonlyArray<PackageDraft>
}

/** What is wrong with one entry of a draft. */
export interface DraftFault {
  readonly list: "categories" | "services" | "packages"
  readonly index: number
  readonly field:
    | "id"
    | "name"
    | "categoryId"
    | "maximum"
    | "reversible"
    | "flow"
    | "requiresLookup"
    | "serviceId"
    | "code"
  readonly reason: string
}

/** Everything that the entries of a draft say wrongly of themselves or of each other. Contract: 1 and 2.4. */
export const faultsOf = ({ categories, packages, services }: CatalogueDraft): ReadonlyArray<DraftFault> => {
  const known = new Set(categories.map(({ id }) => id))
  return [
    ...repeated("categories", "id", categories),
    ...repeated("categories", "name", categories),
    ...repeated("services", "id", services),
    ...repeated("packages", "id", packages),
    ...services.flatMap((service, index) =>
      faultsOfService(service, known).map(([field, reason]) => ({ list: "services" as const, index, field, reason }))
    ),
    ...packages.flatMap(({ serviceId }, index) => {
      const reason = faultOfSeller(services.find(({ id }) => id === serviceId))
      return reason === null ? [] : [{ list: "packages" as const, index, field: "serviceId" as const, reason }]
    }),
    ...sharedCodes(packages)
  ]
}

// A provider may be asked for a package by its code. One that was withdrawn may leave its code to another.
const sharedCodes = (packages: ReadonlyArray<PackageDraft>): ReadonlyArray<DraftFault> =>
  packages.flatMap(({ active, code, id, serviceId }, index) => {
    const shared = packages
      .slice(0, index)
      .some((other) => other.active && other.id !== id && other.serviceId === serviceId && other.code === code)
    return active && shared
      ? [{ list: "packages", index, field: "code", reason: "is that of an earlier package on sale" }]
      : []
  })

const repeated = <Field extends "id" | "name">(
  list: DraftFault["list"],
  field: Field,
  entries: ReadonlyArray<{ readonly [_ in Field]: unknown }>
): ReadonlyArray<DraftFault> =>
  entries.flatMap((entry, index) => {
    const first = entries.findIndex((other) => other[field] === entry[field])
    return first < index ? [{ list, index, field, reason: "is that of an earlier entry" }] : []
  })

const faultOfSeller = (service: ServiceDraft | undefined): string | null => {
  if (service === undefined) return "is no service of this file"
  return service.flow === "paquetes" ? null : "is a service that sells no packages: its flow is another"
}

const faultsOfService = (
  service: ServiceDraft,
  categories: ReadonlySet<number>
): ReadonlyArray<readonly [DraftFault["field"], string]> => {
  const insurance = service.type === "insurance"
  const faults: ReadonlyArray<readonly [boolean, DraftFault["field"], string]> = [
    [!categories.has(service.categoryId), "categoryId", "is no category of this file"],
    [service.maximum > 0 && service.maximum < service.minimum, "maximum", "is below the minimum; 0 means no bound"],
    [insurance && service.reversible, "reversible", "insurance cannot be reversed"],
    [insurance !== (service.flow === "seguros"), "flow", "seguros is the flow of insurance, and of nothing else"],
    [
      service.requiresLookup && !takesOption(service.flow),
      "requiresLookup",
      "cannot be true: only a sale of the flows paquetes and facturas needs a consulta before it"
    ]
  ]
  return faults.flatMap(([wrong, field, reason]) => (wrong ? [[field, reason] as const] : []))
}
