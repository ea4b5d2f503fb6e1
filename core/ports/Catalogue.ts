import { Context, type Effect } from "effect"
import type { Company } from "../domain/Company.ts"
import type { ServiceId } from "../domain/Ids.ts"
import type { Package } from "../domain/Package.ts"
import type { Availability, Service } from "../domain/Service.ts"

/** The catalogue as companies see it. Contract: 4.3. */
export class Catalogue extends Context.Service<
  Catalogue,
  {
    /** The active services that a company may sell, ordered by id. */
    readonly services: (company: Company) => Effect.Effect<ReadonlyArray<Service>>
    /** One service by id, or why the company may not sell it. */
    readonly find: (company: Company, serviceId: ServiceId) => Effect.Effect<Availability>
    /** The active packages of a service, ordered by id. */
    readonly packages: (serviceId: ServiceId) => Effect.Effect<ReadonlyArray<Package>>
  }
>()("saldo/core/Catalogue") {}
