import { Context, type Effect } from "effect"
import type { CatalogueDraft } from "../domain/CatalogueDraft.ts"
import type { CompanyId, ServiceId } from "../domain/Ids.ts"
import type { CategoryNameTaken, UnknownService } from "../domain/OperatorErrors.ts"
import type { Service } from "../domain/Service.ts"

/** A service as the operator sees it: on sale at all, and to a company. */
export interface Listed {
  readonly service: Service
  readonly active: boolean
  /** Whether the asked company may sell it; null when no company was asked about. */
  readonly enabled: boolean | null
}

/** The operator's side of the catalogue. A change holds from the next call on, on every replica. */
export class CatalogueAdmin extends Context.Service<
  CatalogueAdmin,
  {
    /** Adds and replaces entries, all of them or none. */
    readonly store: (draft: CatalogueDraft) => Effect.Effect<void, CategoryNameTaken>
    /** Stores the draft if there is no service yet; tells whether it did. Safe for any number of processes at once. */
    readonly fill: (draft: CatalogueDraft) => Effect.Effect<boolean>
    /** Every service, withdrawn ones too, in order of id. */
    readonly list: (companyId: CompanyId | null) => Effect.Effect<ReadonlyArray<Listed>>
    readonly setEnabled: (
      companyId: CompanyId,
      serviceId: ServiceId,
      enabled: boolean
    ) => Effect.Effect<void, UnknownService>
  }
>()("saldo/core/CatalogueAdmin") {}
