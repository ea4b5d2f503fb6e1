import { Effect, Result } from "effect"
import type { Identifier } from "../../../core/domain/Ids.ts"
import type { Amount } from "../../../core/domain/Money.ts"
import { e164 } from "../../../core/domain/Person.ts"
import { DispatchAnswer, type Order } from "../../../core/domain/Sale.ts"
import { type ServiceType, sellsToPhones } from "../../../core/domain/Service.ts"

/**
 * The receiver in DT One's format. A phone is given by its international number, any other receiver by an account
 * number.
 */
export type Party = { readonly mobile_number: string } | { readonly account_number: string }

/** The DT One product and receiver of an order. */
export interface ProductRequest {
  readonly productId: number
  readonly party: Party
  /**
   * The amount that the customer receives or pays, for bills and for products with a range of amounts. Null if the
   * product has a fixed value.
   */
  readonly amount: Amount | null
  /** DT One's reference of the bill to pay. Null for products that are not bills. */
  readonly statement: string | null
}

const productId_max = 2 ** 31 - 1

/** Parses DT One's id of a product or operator. Null if the text is not an id. */
export const readId = (text: string | null): number | null =>
  text !== null && /^[1-9]\d{0,9}$/.test(text) && Number(text) <= productId_max ? Number(text) : null

// These prefixes mark options from DT One. Without a prefix, an option of another provider that is a plain number could
// be bought at DT One.
const packagePrefix = "dtone:producto:"
const billPrefix = "dtone:factura:"

export const packageReference = (productId: number): string => `${packagePrefix}${productId}`

/**
 * The reference of an offered bill. It contains only DT One's reference of the bill, so it stays the same if the due
 * date changes.
 */
export const billReference = (statement: string): string => `${billPrefix}${statement}`

/** Whether the reference comes from a DT One lookup. */
export const isOurs = (reference: string): boolean =>
  reference.startsWith(packagePrefix) || reference.startsWith(billPrefix)

const phone = /^\d{10}$/

/**
 * The receiver of an order: a phone with its country code, or the identifier of another account. Null if the service
 * needs a phone and the identifier is not a phone number of this country. Contract: 4.5.
 */
export const partyOf = (type: ServiceType, identifier: Identifier): Party | null => {
  if (!sellsToPhones(type)) return { account_number: identifier }
  return phone.test(identifier) ? { mobile_number: e164(identifier) } : null
}

const statementIn = (reference: string): string | null =>
  reference.startsWith(billPrefix) ? reference.slice(billPrefix.length) : null

const unsellable = Result.fail(DispatchAnswer.Refused({ refusal: "TRANSACTION_REJECTED" }))

/**
 * The DT One request of an order, or the answer to an order that cannot be sent. An invalid order is refused. If the
 * product of an order is missing in the catalogue, the order is not sent and may be retried later.
 */
export const productRequestOf = (order: Order): Result.Result<ProductRequest, DispatchAnswer> => {
  const { amount, identifier, reference, service } = order
  const party = partyOf(service.type, identifier)
  if (party === null) return Result.fail(DispatchAnswer.Refused({ refusal: "INVALID_PHONE" }))
  if (reference?.startsWith(packagePrefix)) {
    const productId = readId(reference.slice(packagePrefix.length))
    return productId === null ? unsellable : Result.succeed({ productId, party, amount: null, statement: null })
  }
  const statement = reference === null ? null : statementIn(reference)
  if (reference !== null && statement === null) return unsellable
  const productId = readId(order.product)
  return productId === null
    ? Result.fail(DispatchAnswer.NotSent())
    : Result.succeed({ productId, party, amount, statement })
}

/** Logs which DT One product the catalogue lacks for an order. */
export const logUnsendable = ({ product, reference, service, xid }: Order) =>
  Effect.logError("the catalogue has no DT One product for a service", {
    xid,
    serviceId: service.id,
    product,
    reference
  })
