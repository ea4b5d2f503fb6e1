import { Context, type Effect } from "effect"
import type { Company } from "../domain/Company.ts"
import type { ServiceId } from "../domain/Ids.ts"
import type { Package } from "../domain/Package.ts"
import type { Availability, Service } from "../domain/Service.ts"

/** What is sold. Contract: 4.3. */
export class Catalogue extends Context.Service<
  Catalogue,
  {
    /** What a company may sell: active services that are enabled for it, in order of id. */
    readonly services: (company: Company) => Effect.Effect<ReadonlyArray<Service>>
    /** One of them by its id, or why the company may not sell it. */
    readonly find: (company: Company, serviceId: ServiceId) => Effect.Effect<Availability>
    /** The active packages of a service, in order of id. */
    readonly packages: (serviceId: ServiceId) => Effect.Effect<ReadonlyArray<Package>>
  }
>()("saldo/core/Catalogue") {}
