import { Data } from "effect"
import type { Identifier } from "./Ids.ts"
import type { Offer, Offered } from "./Offered.ts"
import type { Package } from "./Package.ts"
import type { LookupFlow, Service } from "./Service.ts"

/** A lookup: the service and the identifier to look up. Contract: 4.4. */
export interface LookupQuery {
  readonly service: Service
  readonly identifier: Identifier
  /** The packages that the catalogue lists for the service. Empty for other flows. */
  readonly packages: ReadonlyArray<Package>
}

/** The result of a successful lookup. */
export interface Found {
  /** The customer's name, if the provider returns it. */
  readonly holder: string | null
  readonly offers: ReadonlyArray<Offer>
}

/** A provider's answer to a lookup. */
export type LookupAnswer = Data.TaggedEnum<{
  Found: { readonly found: Found }
  /** The number, contract or account does not exist. */
  NoSuchIdentifier: {}
  NoAnswer: {}
}>
export const LookupAnswer = Data.taggedEnum<LookupAnswer>()

/** A lookup as the caller receives it. Contract: 2.6. */
export interface Consulta {
  readonly flow: LookupFlow
  readonly holder: string | null
  readonly options: ReadonlyArray<Offered>
  /** True for example data, false for a provider's data. */
  readonly simulated: boolean
}

/** Whether the contract has no unpaid bill. Only the flow `facturas` has bills. Contract: 2.6. */
export const isDebtFree = ({ flow, options }: Pick<Consulta, "flow" | "options">): boolean =>
  flow === "facturas" && options.length === 0
