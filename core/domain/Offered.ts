import { DateTime, Duration, Effect, Schema } from "effect"
import { CompanyId, Identifier, ServiceId } from "./Ids.ts"
import { Amount } from "./Money.ts"
import type { OptionFlow } from "./Service.ts"
import { sha256Hex } from "./Sha256.ts"

/** A lookup's options may be bought for this long. */
export const optionLife = Duration.minutes(30)

/** Something that the identifier may buy. */
export interface Offer {
  /** The provider's name for it, the same at every lookup; of a bill it names the period, so that it is paid once. */
  readonly reference: string
  readonly name: string
  readonly price: Amount
  /** In words; null where there is nothing to say. */
  readonly validity: string | null
  readonly data: string | null
}

/**
 * What a lookup offered to a company: one identifier may buy it of one service, at one price. Contract: 2.6 and 4.5.
 */
export const Offered = Schema.Struct({
  id: Schema.String,
  companyId: CompanyId,
  serviceId: ServiceId,
  identifier: Identifier,
  /** The provider's own name for it. */
  reference: Schema.String,
  name: Schema.String,
  price: Amount,
  validity: Schema.NullOr(Schema.String),
  data: Schema.NullOr(Schema.String),
  expiresAt: Schema.DateTimeUtc
})
export type Offered = typeof Offered.Type

const prefixes: Record<OptionFlow, string> = { paquetes: "paq", facturas: "fac" }

/** To whom something is offered. */
interface Customer {
  readonly companyId: CompanyId
  readonly serviceId: ServiceId
  readonly identifier: Identifier
}

/**
 * Makes an option of an offer. Its id follows from company, service, identifier and the offer's reference: the same
 * offer, looked up again, is the same option for another half hour, and a bill is the same bill whoever asks when. An
 * example is another one than the provider's own offer of that name, which has a price of its own.
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
