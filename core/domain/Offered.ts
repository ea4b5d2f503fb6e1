import { DateTime, Duration, Effect, Schema } from "effect"
import { CompanyId, Identifier, ServiceId } from "./Ids.ts"
import { Amount } from "./Money.ts"
import type { OptionFlow } from "./Service.ts"
import { sha256Hex } from "./Sha256.ts"

/** How long an option of a lookup may be bought. */
export const optionLife = Duration.minutes(30)

/** A package or bill that the identifier may buy. */
export interface Offer {
  /**
   * The provider's id of the offer, the same at every lookup. For a bill it includes the period, so that each bill is
   * paid once.
   */
  readonly reference: string
  readonly name: string
  readonly price: Amount
  /** In words. Null when unknown. */
  readonly validity: string | null
  readonly data: string | null
}

/**
 * An option that a lookup offered to a company: valid for one service, one identifier and one price. Contract: 2.6 and
 * 4.5.
 */
export const Offered = Schema.Struct({
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
export type Offered = typeof Offered.Type

const prefixes: Record<OptionFlow, string> = { paquetes: "paq", facturas: "fac" }

/** The company, service and identifier of an offer. */
interface Customer {
  readonly companyId: CompanyId
  readonly serviceId: ServiceId
  readonly identifier: Identifier
}

/**
 * Makes an option from an offer. The id is derived from company, service, identifier and the offer's reference.
 * Repeating the lookup therefore gives the same option for another 30 minutes. Simulated options have ids of their own,
 * because their prices differ from the provider's.
 */
export const offered = Effect.fnUntraced(function* (
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
  return { ...offer, id, companyId, serviceId, identifier, expiresAt } satisfies Offered
})
