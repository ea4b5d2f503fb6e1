import { Effect, Result } from "effect"
import type { Identifier } from "../../../core/domain/Ids.ts"
import type { Amount } from "../../../core/domain/Money.ts"
import { Answer, type Order } from "../../../core/domain/Sale.ts"
import { type ServiceType, sellsToPhones } from "../../../core/domain/Service.ts"
import { e164 } from "../../http/E164.ts"

/** Who receives, as DT One names them: phones by their international number, everybody else by an account number. */
export type Party = { readonly mobile_number: string } | { readonly account_number: string }

/** What of DT One's an order buys, and for whom. */
export interface ProductRequest {
  readonly productId: number
  readonly party: Party
  /** What the customer gets, where the product does not say it: a ranged product, or one that pays bills. */
  readonly amount: Amount | null
  /** Which statement of the account is paid; null if this is no bill. */
  readonly statement: string | null
}

const productId_max = 2 ** 31 - 1

/** A number by which DT One knows a product or an operator; null if this is none. */
export const readId = (text: string | null): number | null =>
  text !== null && /^[1-9]\d{0,9}$/.test(text) && Number(text) <= productId_max ? Number(text) : null

// An option that somebody else offered may be a number too, and must not be bought here.
const packagePrefix = "dtone:producto:"
const billPrefix = "dtone:factura:"

export const packageReference = (productId: number): string => `${packagePrefix}${productId}`

/** What an offered bill is called: by its statement alone, so that it stays the same bill when its date changes. */
export const billReference = (statement: string): string => `${billPrefix}${statement}`

/** Whether a lookup at DT One gave this name. */
export const isOurs = (reference: string): boolean =>
  reference.startsWith(packagePrefix) || reference.startsWith(billPrefix)

const phone = /^\d{10}$/

/**
 * The receiver, or null if it is a phone and the identifier is no number of this country. The country's code is the
 * only thing that is added. Contract: 4.5.
 */
export const partyOf = (type: ServiceType, identifier: Identifier): Party | null => {
  if (!sellsToPhones(type)) return { account_number: identifier }
  return phone.test(identifier) ? { mobile_number: e164(identifier) } : null
}

const statementIn = (reference: string): string | null =>
  reference.startsWith(billPrefix) ? reference.slice(billPrefix.length) : null

const unsellable = Result.fail(Answer.Refused({ refusal: "TRANSACTION_REJECTED" }))

/**
 * What to ask DT One for, or the answer to an order that cannot be sent: one that will never be right is refused; one
 * that the catalogue has no product for may be tried again when it has.
 */
export const productRequestOf = (order: Order): Result.Result<ProductRequest, Answer> => {
  const { amount, identifier, reference, service } = order
  const party = partyOf(service.type, identifier)
  if (party === null) return Result.fail(Answer.Refused({ refusal: "INVALID_PHONE" }))
  if (reference?.startsWith(packagePrefix)) {
    const productId = readId(reference.slice(packagePrefix.length))
    return productId === null ? unsellable : Result.succeed({ productId, party, amount: null, statement: null })
  }
  const statement = reference === null ? null : statementIn(reference)
  if (reference !== null && statement === null) return unsellable
  const productId = readId(order.product)
  return productId === null ? Result.fail(Answer.NotSent()) : Result.succeed({ productId, party, amount, statement })
}

/** Says to the operator what an order that cannot be sent lacks. */
export const logUnsendable = ({ product, reference, service, xid }: Order) =>
  Effect.logError("the catalogue does not say what DT One calls a service", {
    xid,
    serviceId: service.id,
    product,
    reference
  })
