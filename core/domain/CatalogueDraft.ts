import { zero } from "./Money.ts"
import { type Package, type Service, takesOption } from "./Service.ts"

/** A category in an operator's catalogue file. */
export interface CategoryDraft {
  readonly id: number
  readonly name: string
}

/** A service in an operator's catalogue file. `active` says whether the service is on sale. Contract: 2.4. */
export type ServiceDraft = Omit<Service, "category"> & { readonly active: boolean }

/** A package in an operator's catalogue file. `active` says whether the package is on sale. Contract: 2.4. */
export type PackageDraft = Package & { readonly active: boolean }

/** Catalogue entries to add or replace. Entries that the draft does not name do not change. */
export interface CatalogueDraft {
  readonly categories: ReadonlyArray<CategoryDraft>
  readonly services: ReadonlyArray<ServiceDraft>
  readonly packages: ReadonlyArray<PackageDraft>
}

/** A fault in one entry of a draft. */
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

/** An entry that lacks the fields that could not be parsed. */
type Partly<Entry> = { readonly [Field in keyof Entry]?: Entry[Field] | undefined }

/**
 * A draft with entries that lack the fields that could not be parsed. A missing field is never compared with another
 * entry.
 */
export interface PartlyRead {
  readonly categories: ReadonlyArray<Partly<CategoryDraft>>
  readonly services: ReadonlyArray<Partly<ServiceDraft>>
  readonly packages: ReadonlyArray<Partly<PackageDraft>>
}

/**
 * All faults of a draft: entries that are invalid on their own, and entries that contradict each other. Contract: 1 and
 * 2.4.
 */
export const faultsOf = ({ categories, packages, services }: PartlyRead): ReadonlyArray<DraftFault> => [
  ...repeated("categories", "id", categories),
  ...repeated("categories", "name", categories),
  ...repeated("services", "id", services),
  ...repeated("packages", "id", packages),
  ...services.flatMap((service, index) =>
    faultsOfService(service, categories).map(([field, reason]) => ({ list: "services" as const, index, field, reason }))
  ),
  ...packages.flatMap(({ serviceId }, index) => {
    const reason = faultOfSeller(serviceId, services)
    return reason === null ? [] : [{ list: "packages" as const, index, field: "serviceId" as const, reason }]
  }),
  ...sharedCodes(packages)
]

// A provider may identify a package by its code, so two active packages of a service may not have the same code. The
// code of a withdrawn package may be used again.
const sharedCodes = (packages: ReadonlyArray<Partly<PackageDraft>>): ReadonlyArray<DraftFault> =>
  packages.flatMap(({ active, code, id, serviceId }, index) => {
    const known = code !== undefined && serviceId !== undefined
    const shared = packages
      .slice(0, index)
      .some((other) => other.active && other.id !== id && other.serviceId === serviceId && other.code === code)
    return known && active && shared
      ? [{ list: "packages", index, field: "code", reason: "is already used by an earlier package on sale" }]
      : []
  })

/**
 * A package of the draft and a package outside the draft that would both be on sale with the same code for the same
 * service. Null if there is no such pair.
 */
export const sharedCodeOutside = (
  known: ReadonlyArray<PackageDraft>,
  { packages }: CatalogueDraft
): readonly [mine: PackageDraft, other: PackageDraft] | null => {
  const drafted = new Set(packages.map(({ id }) => id))
  for (const mine of packages.filter(({ active }) => active)) {
    const other = known.find(
      ({ active, code, id, serviceId }) =>
        active && !drafted.has(id) && serviceId === mine.serviceId && code === mine.code
    )
    if (other !== undefined) return [mine, other]
  }
  return null
}

const repeated = <Field extends "id" | "name">(
  list: DraftFault["list"],
  field: Field,
  entries: ReadonlyArray<{ readonly [_ in Field]?: unknown }>
): ReadonlyArray<DraftFault> =>
  entries.flatMap((entry, index) => {
    const first = entries.findIndex((other) => other[field] === entry[field])
    return entry[field] !== undefined && first < index
      ? [{ list, index, field, reason: "is already used by an earlier entry" }]
      : []
  })

/** Whether it is certain that no entry has this id. False if the id of any entry could not be parsed. */
const isNoneOf = (id: number | undefined, entries: ReadonlyArray<{ readonly id?: number | undefined }>): boolean =>
  id !== undefined && entries.every((entry) => entry.id !== undefined && entry.id !== id)

const faultOfSeller = (
  id: ServiceDraft["id"] | undefined,
  services: ReadonlyArray<Partly<ServiceDraft>>
): string | null => {
  if (isNoneOf(id, services)) return "is not the id of a service in this file"
  const { flow } = services.find((service) => id !== undefined && service.id === id) ?? {}
  return flow === undefined || flow === "paquetes"
    ? null
    : "is a service that sells no packages, because its flow is not paquetes"
}

const faultsOfService = (
  { categoryId, flow, maximum = zero, minimum = zero, requiresLookup, reversible, type }: Partly<ServiceDraft>,
  categories: ReadonlyArray<Partly<CategoryDraft>>
): ReadonlyArray<readonly [DraftFault["field"], string]> => {
  const insurance = type === "insurance"
  const flowKnown = type !== undefined && flow !== undefined
  const faults: ReadonlyArray<readonly [boolean, DraftFault["field"], string]> = [
    [isNoneOf(categoryId, categories), "categoryId", "is not the id of a category in this file"],
    [maximum > 0 && maximum < minimum, "maximum", "is below the minimum; 0 means no bound"],
    [insurance && reversible === true, "reversible", "must be false, because insurance cannot be reversed"],
    [
      flowKnown && insurance !== (flow === "seguros"),
      "flow",
      "must be seguros for the type insurance, and must not be seguros for other types"
    ],
    [
      requiresLookup === true && flow !== undefined && !takesOption(flow),
      "requiresLookup",
      "cannot be true: only a sale of the flows paquetes and facturas needs a consulta before it"
    ]
  ]
  return faults.flatMap(([wrong, field, reason]) => (wrong ? [[field, reason] as const] : []))
}
