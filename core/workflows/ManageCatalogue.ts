import { Effect } from "effect"
import type { CatalogueDraft } from "../domain/CatalogueDraft.ts"
import type { CompanyId, ServiceId } from "../domain/Ids.ts"
import { CatalogueAdmin } from "../ports/Catalogue.ts"
import { atomically, recordAudit } from "./AuditTrail.ts"
import { companyOf } from "./ManageCompany.ts"

/** Adds and replaces catalogue entries: all of them or none. */
export const importCatalogue = Effect.fn("ManageCatalogue.importCatalogue")(function* (draft: CatalogueDraft) {
  const catalogue = yield* CatalogueAdmin
  yield* catalogue.store(draft)
  yield* recordAudit(
    "catalogue_imported",
    {},
    { categories: idsOf(draft.categories), services: idsOf(draft.services), packages: idsOf(draft.packages) }
  )
}, atomically)

const idsOf = (entries: ReadonlyArray<{ readonly id: number }>) => entries.map(({ id }) => id)

/** All services. With a company, also whether the company may sell each. */
export const servicesOf = Effect.fn("ManageCatalogue.servicesOf")(function* (companyId: CompanyId | null) {
  if (companyId !== null) yield* companyOf(companyId)
  const catalogue = yield* CatalogueAdmin
  return yield* catalogue.list(companyId)
})

/** Enables a service for a company, or withholds it. */
export const enableService = Effect.fn("ManageCatalogue.enableService")(function* (
  companyId: CompanyId,
  serviceId: ServiceId,
  enabled: boolean
) {
  yield* companyOf(companyId)
  const catalogue = yield* CatalogueAdmin
  yield* catalogue.setEnabled(companyId, serviceId, enabled)
  yield* recordAudit(enabled ? "service_enabled" : "service_withheld", { companyId }, { serviceId })
}, atomically)
