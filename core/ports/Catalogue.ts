import { Context, type Effect } from "effect"
import type { Company } from "../domain/Company.ts"
import type { Service } from "../domain/Service.ts"

/** What a company may sell: active services that are enabled for it, in order of id. Contract: 4.3. */
export class Catalogue extends Context.Service<
  Catalogue,
  {
    readonly services: (company: Company) => Effect.Effect<ReadonlyArray<Service>>
  }
>()("saldo/core/Catalogue") {}
