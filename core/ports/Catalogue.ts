import { Context, type Effect } from "effect"
import type { CatalogueDraft, CategoryDraft, PackageDraft } from "../domain/CatalogueDraft.ts"
import type { Company } from "../domain/Company.ts"
import type { CompanyId, ServiceId } from "../domain/Ids.ts"
import type { CategoryNameTaken, UnknownService } from "../domain/OperatorErrors.ts"
import type { Availability, Package, Service } from "../domain/Service.ts"

/** The catalogue as companies see it. Contract: 4.3. */
export class Catalogue extends Context.Service<
  Catalogue,
  {
    /** The active services that a company may sell, ordered by id. */
    readonly services: (company: Company) => Effect.Effect<ReadonlyArray<Service>>
    /** One service by id, or the reason why the company may not sell it. */
    readonly find: (company: Company, serviceId: ServiceId) => Effect.Effect<Availability>
    /** The active packages of a service, ordered by id. */
    readonly packages: (serviceId: ServiceId) => Effect.Effect<ReadonlyArray<Package>>
  }
>()("saldo/core/Catalogue") {}

/** A service as the operator sees it. */
export interface ListedService {
  readonly service: Service
  readonly active: boolean
  /** Whether the company of the request may sell the service. Null if the request names no company. */
  readonly enabled: boolean | null
}

/** The whole catalogue as the operator sees it, including withdrawn entries. Each list is ordered by id. */
export interface ListedCatalogue {
  readonly categories: ReadonlyArray<CategoryDraft>
  readonly services: ReadonlyArray<ListedService>
  /** Packages of a service that no longer sells packages are left out. */
  readonly packages: ReadonlyArray<PackageDraft>
}

/** The operator's access to the catalogue. A change applies from the next call on, in every process. */
export class CatalogueAdmin extends Context.Service<
  CatalogueAdmin,
  {
    /** Adds and replaces entries: all of them or none. */
    readonly store: (draft: CatalogueDraft) => Effect.Effect<void, CategoryNameTaken>
    /**
     * Stores the draft if the catalogue is empty, and returns whether the draft was stored. Several processes may call
     * this at the same time.
     */
    readonly fill: (draft: CatalogueDraft) => Effect.Effect<boolean>
    readonly list: (companyId: CompanyId | null) => Effect.Effect<ListedCatalogue>
    /** Offers a service, or withdraws it from all companies. Returns whether it was offered before. */
    readonly setActive: (serviceId: ServiceId, active: boolean) => Effect.Effect<boolean, UnknownService>
    /** Enables a service for a company, or withholds it. Returns whether it was enabled before. */
    readonly setEnabled: (
      companyId: CompanyId,
      serviceId: ServiceId,
      enabled: boolean
    ) => Effect.Effect<boolean, UnknownService>
  }
>()("saldo/core/CatalogueAdmin") {}
