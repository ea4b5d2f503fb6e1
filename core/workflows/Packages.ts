import { Effect } from "effect"
import type { Company } from "../domain/Company.ts"
import { NotFound } from "../domain/Errors.ts"
import type { ServiceId } from "../domain/Ids.ts"
import { Catalogue } from "../ports/Catalogue.ts"

/** The packages of a service that the company may sell. Empty for services without packages. Contract: 4.3. */
export const packagesOf = Effect.fn("Packages.packagesOf")(function* (company: Company, serviceId: ServiceId) {
  const catalogue = yield* Catalogue
  const found = yield* catalogue.find(company, serviceId)
  if (found._tag !== "Available") return yield* new NotFound()
  return yield* catalogue.packages(serviceId)
})
