import { Data, DateTime, Duration, Effect, Schema } from "effect"
import { CompanyId, Identifier, ServiceId } from "./Ids.ts"
import { Amount } from "./Money.ts"
import type { LookupFlow, OptionFlow, Package, Service } from "./Service.ts"
import { sha256Hex } from "./Sha256.ts"

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
export interface LookupResult {
  readonly flow: LookupFlow
  readonly holder: string | null
  readonly options: ReadonlyArray<OfferedOption>
  /** True if the data are examples, false if they come from the provider. */
  readonly simulated: boolean
}

/** Whether the contract has no unpaid bill. Only the flow `facturas` has bills. Contract: 2.6. */
export const isDebtFree = ({ flow, options }: Pick<LookupResult, "flow" | "options">): boolean =>
  flow === "facturas" && options.length === 0

/** How long an option of a lookup may be bought. */
export const optionLife = Duration.minutes(30)

/** A package or bill that can be bought for the identifier. */
export interface Offer {
  /**
   * The provider's id of the offer, the same at every lookup. The reference of a bill includes the billing period, so
   * that each bill is paid once.
   */
  readonly reference: string
  readonly name: string
  readonly price: Amount
  /** How long a package is valid, in words. Null when unknown. */
  readonly validity: string | null
  readonly data: string | null
}

/**
 * An option that a lookup offered to a company: valid for one service, one identifier and one price. Contract: 2.6 and
 * 4.5.
 */
export const OfferedOption = Schema.Struct({
  id: Schema.String,
  companyId: CompanyId,
  serviceId: ServiceId,
  identifier: Identifier,
  /** The provider's id of the offer. */
  reference: Schema.String,
  name: Schema.String,
  price: Amount,
  validity: Schema.NullOr(Schema.String),
  data: Schema.NullOr(Schema.String),
  expiresAt: Schema.DateTimeUtc
})
export type OfferedOption = typeof OfferedOption.Type

const prefixes: Record<OptionFlow, string> = { paquetes: "paq", facturas: "fac" }

/** The company, service and identifier of an offer. */
interface Customer {
  readonly companyId: CompanyId
  readonly serviceId: ServiceId
  readonly identifier: Identifier
}

/**
 * Makes an option from an offer. The id is derived from company, service, identifier and the offer's reference. A
 * repeated lookup therefore gives the same option, valid for another 30 minutes. Simulated options have different ids,
 * because their prices differ from the provider's prices.
 */
export const makeOption = Effect.fnUntraced(function* (
  flow: OptionFlow,
  { companyId, identifier, serviceId }: Customer,
  offer: Offer,
  isExample: boolean
) {
  const now = yield* DateTime.now
  const named = JSON.stringify([companyId, serviceId, identifier, offer.reference, ...(isExample ? ["example"] : [])])
  const hex = yield* sha256Hex(named)
  const id = `${prefixes[flow]}-${hex.slice(0, 24)}`
  const expiresAt = DateTime.addDuration(now, optionLife)
  return { ...offer, id, companyId, serviceId, identifier, expiresAt } satisfies OfferedOption
})
