import { Data } from "effect"
import type { Identifier } from "./Ids.ts"
import type { Offer, Offered } from "./Offered.ts"
import type { Package } from "./Package.ts"
import type { LookupFlow, Service } from "./Service.ts"

/** Whose packages, bills or name are looked for. Contract: 4.4. */
export interface LookupQuery {
  readonly service: Service
  readonly identifier: Identifier
  /** What the catalogue lists of the service; empty for services of other flows. */
  readonly packages: ReadonlyArray<Package>
}

/** What was found out about an identifier. */
export interface Found {
  /** The customer's name, where it is told. */
  readonly holder: string | null
  readonly offers: ReadonlyArray<Offer>
}

/** What a provider said of an identifier. */
export type LookupAnswer = Data.TaggedEnum<{
  Found: { readonly found: Found }
  /** There is no such number, contract or account. */
  NoSuchIdentifier: {}
  NoAnswer: {}
}>
export const LookupAnswer = Data.taggedEnum<LookupAnswer>()

/** A lookup as its caller hears it. Contract: 2.6. */
export interface Consulta {
  readonly flow: LookupFlow
  readonly holder: string | null
  readonly options: ReadonlyArray<Offered>
  /** Whether these are examples rather than a provider's own data. */
  readonly simulated: boolean
}

/** Is it a contract of which nothing is due? Only bills can be. Contract: 2.6. */
export const isDebtFree = ({ flow, options }: Pick<Consulta, "flow" | "options">): boolean =>
  flow === "facturas" && options.length === 0
