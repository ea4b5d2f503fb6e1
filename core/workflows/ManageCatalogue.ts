import { Data, Effect } from "effect"
import { changedFields, changesBetween, type EntryChange } from "../domain/CatalogueChanges.ts"
import { type CatalogueDraft, sharedCodeOutside } from "../domain/CatalogueDraft.ts"
import type { CompanyId, ServiceId } from "../domain/Ids.ts"
import { PackageCodeTaken } from "../domain/OperatorErrors.ts"
import { CatalogueAdmin, type ListedCatalogue } from "../ports/Catalogue.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"
import { companyOf } from "./ManageCompany.ts"

/** Rolls back the writes of a dry run. */
class ImportTried extends Data.TaggedError("ImportTried")<{ readonly changes: ReadonlyArray<EntryChange> }> {}

/**
 * Adds and replaces catalogue entries: all of them or none. Returns the changes. An import without changes writes
 * nothing.
 *
 * @param isDryRun whether to roll the changes back after the database has checked them.
 */
export const importCatalogue = Effect.fn("ManageCatalogue.importCatalogue")(
  function* (draft: CatalogueDraft, isDryRun: boolean) {
    yield* requireAction("catalogue")
    const catalogue = yield* CatalogueAdmin
    const known = draftOf(yield* catalogue.list(null))
    const changes = changesBetween(known, draft)
    if (changes.length === 0) return changes
    const shared = sharedCodeOutside(known.packages, draft)
    if (shared !== null) {
      const [{ code, id: packageId, serviceId }, { id: otherPackageId }] = shared
      return yield* new PackageCodeTaken({ serviceId, code, packageId, otherPackageId })
    }
    yield* catalogue.store(draft)
    if (isDryRun) return yield* new ImportTried({ changes })
    yield* recordAudit(
      "catalogue_imported",
      {},
      {
        categories: idsOf(draft.categories),
        services: idsOf(draft.services),
        packages: idsOf(draft.packages),
        changes: changes.map(changedFields)
      }
    )
    return changes
  },
  atomically,
  Effect.catchTag("ImportTried", ({ changes }) => Effect.succeed(changes))
)

const idsOf = (entries: ReadonlyArray<{ readonly id: number }>) => entries.map(({ id }) => id)

/** The catalogue in the form of an import. */
export const draftOf = ({ categories, packages, services }: ListedCatalogue): CatalogueDraft => ({
  categories,
  services: services.map(({ active, service: { category: _, ...service } }) => ({ ...service, active })),
  packages
})

/** The whole catalogue. With a company, also whether the company may sell each service. */
export const listCatalogue = Effect.fn("ManageCatalogue.listCatalogue")(function* (companyId: CompanyId | null) {
  if (companyId !== null) yield* companyOf(companyId)
  const catalogue = yield* CatalogueAdmin
  return yield* catalogue.list(companyId)
})

/** Offers a service to all companies, or withdraws it from all of them. */
export const offerService = Effect.fn("ManageCatalogue.offerService")(function* (
  serviceId: ServiceId,
  active: boolean
) {
  yield* requireAction("catalogue")
  const catalogue = yield* CatalogueAdmin
  const before = yield* catalogue.setActive(serviceId, active)
  const change = { before: { active: before }, after: { active } }
  yield* recordAudit(active ? "service_restored" : "service_withdrawn", {}, { serviceId, ...change })
}, atomically)

/** Enables a service for a company, or withholds it. */
export const enableService = Effect.fn("ManageCatalogue.enableService")(function* (
  companyId: CompanyId,
  serviceId: ServiceId,
  enabled: boolean
) {
  yield* requireAction("catalogue")
  yield* companyOf(companyId)
  const catalogue = yield* CatalogueAdmin
  const before = yield* catalogue.setEnabled(companyId, serviceId, enabled)
  const change = { before: { enabled: before }, after: { enabled } }
  yield* recordAudit(enabled ? "service_enabled" : "service_withheld", { companyId }, { serviceId, ...change })
}, atomically)
