import { DateTime, Duration, Effect } from "effect"
import type { Refusal } from "../../core/domain/Errors.ts"
import { FloatAnswer } from "../../core/domain/Float.ts"
import type { Identifier } from "../../core/domain/Ids.ts"
import { periodsAt } from "../../core/domain/LocalTime.ts"
import { type Found, LookupAnswer, type LookupQuery, type Offer } from "../../core/domain/Lookup.ts"
import { Amount } from "../../core/domain/Money.ts"
import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { type Reversal, ReversalAnswer } from "../../core/domain/Reversal.ts"
import {
  type Delivery,
  DispatchAnswer,
  type Order,
  readRechargeToken,
  sellsRechargeTokens
} from "../../core/domain/Sale.ts"
import { type Package, sellsToPhones } from "../../core/domain/Service.ts"
import type { Provider } from "../../core/ports/Provider.ts"

const holder = "Cliente de Prueba"

// The offer's reference is the package's code. A provider knows the code from the catalogue, without an earlier lookup.
const packageOffer = ({ code, data, duration, name, price }: Package): Offer => ({
  reference: code,
  name,
  price,
  validity: duration,
  data
})

/**
 * Offers only packages with a unique code. If two imports used one code for two packages, a sale could charge the
 * wrong price.
 */
const packageOffers = (packages: ReadonlyArray<Package>): ReadonlyArray<Offer> =>
  packages.filter((one) => !packages.some(({ code, id }) => code === one.code && id !== one.id)).map(packageOffer)

const bill_min = 25_000
const bill_span = 300_000

/** The price of a bill, derived only from the contract and the month. So a bill always has the same price. */
const billPrice = (identifier: Identifier, month: string): Amount => {
  let sum = 0
  for (const character of `${month}/${identifier}`) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % bill_span
  return Amount.make(bill_min + sum)
}

/**
 * A simulated bill.
 *
 * @param begins the first day of the bill's month.
 */
const bill = (identifier: Identifier, begins: DateTime.Utc): Offer => {
  const month = DateTime.formatIsoDateUtc(begins).slice(0, 7)
  return {
    // The prefix keeps simulated bills apart from real bills. A real provider may use the month alone as the reference of
    // a bill with another price.
    reference: `ejemplo-${month}`,
    name: `Factura de ${DateTime.formatUtc(begins, { locale: "es-DO", month: "long", year: "numeric" })}`,
    price: billPrice(identifier, month),
    validity: null,
    data: null
  }
}

/** The bills of this month and last month. */
const bills = (identifier: Identifier, now: DateTime.Utc): ReadonlyArray<Offer> => {
  const month = DateTime.makeUnsafe(`${periodsAt(now).month}T00:00:00Z`)
  return [bill(identifier, DateTime.subtract(month, { months: 1 })), bill(identifier, month)]
}

const examples = ({ identifier, packages, service }: LookupQuery, now: DateTime.Utc): Found => {
  switch (service.flow) {
    case "paquetes":
      return { holder: null, offers: packageOffers(packages) }
    case "facturas":
      return { holder, offers: bills(identifier, now) }
    default:
      return { holder, offers: [] }
  }
}

/**
 * Returns the same examples for every identifier. These examples are used if the identifier may be real but no provider can
 * be asked. Contract: 4.4.
 */
export const exampleLookup = (query: LookupQuery): Effect.Effect<LookupAnswer> =>
  Effect.map(DateTime.now, (now) => LookupAnswer.Found({ found: examples(query, now) }))

/**
 * Simulated lookup. The last character of the identifier selects the scenario: 0 does not exist, 1 has no options, 2
 * does not get an answer. Contract: 4.4.
 */
const simulatedLookup = (query: LookupQuery): Effect.Effect<LookupAnswer> =>
  Effect.map(DateTime.now, (now) => {
    const { identifier, service } = query
    const noNumber = sellsToPhones(service.type) && !/^\d+$/.test(identifier)
    if (noNumber || identifier.endsWith("0")) return LookupAnswer.NoSuchIdentifier()
    if (identifier.endsWith("2")) return LookupAnswer.NoAnswer()
    const found = examples(query, now)
    return LookupAnswer.Found({ found: identifier.endsWith("1") ? { ...found, offers: [] } : found })
  })

/** Minimum age of a pending sale before a status query decides it. */
const decidedAfter = Duration.seconds(15)

const hexOf = (xid: string): string => xid.slice(xid.lastIndexOf("-") + 1)

/**
 * The authorization code of a delivered sale. It is derived from the xid, so that every answer about a sale contains the
 * same code.
 */
export const simulatedCode = (xid: string): string => `SBX${hexOf(xid).slice(0, 12).toUpperCase()}`

/** Whether a sale to this identifier stays pending, unless it is refused. Contract: 7, Simulator scenarios. */
export const isLeftPending = ({ identifier }: Order): boolean => identifier.endsWith("2")

/**
 * The state of a sale that was not refused. The last two characters of the identifier decide a pending sale: 02 is
 * denied, 12 stays undecided, all others are confirmed.
 */
export const standing = (order: Order, now: DateTime.Utc): "undecided" | "denied" | "confirmed" => {
  if (!isLeftPending(order)) return "confirmed"
  const early = Duration.isLessThan(DateTime.distance(order.createdAt, now), decidedAfter)
  if (early || order.identifier.endsWith("12")) return "undecided"
  return order.identifier.endsWith("02") ? "denied" : "confirmed"
}

/** The refusal that the identifier's last character selects, or null. Contract: 7, Simulator scenarios. */
const refusalOf = ({ identifier, service }: Order): Refusal | null => {
  if (sellsToPhones(service.type) && !/^\d+$/.test(identifier)) return "INVALID_PHONE"
  if (identifier.endsWith("0")) return "INVALID_PHONE"
  return identifier.endsWith("1") ? "TRANSACTION_REJECTED" : null
}

const rechargeTokenOf = (xid: string): string | null =>
  readRechargeToken((BigInt(`0x${hexOf(xid)}`) % 10n ** 20n).toString().padStart(20, "0"))

const deliveryOf = ({ service, xid }: Order): Delivery => ({
  authCode: simulatedCode(xid),
  rechargeToken: sellsRechargeTokens(service.type) ? rechargeTokenOf(xid) : null
})

const dispatch = (order: Order): DispatchAnswer => {
  const refusal = refusalOf(order)
  if (refusal !== null) return DispatchAnswer.Refused({ refusal })
  return isLeftPending(order) ? DispatchAnswer.Unknown() : DispatchAnswer.Delivered({ delivery: deliveryOf(order) })
}

const status = (order: Order, now: DateTime.Utc): StatusAnswer => {
  const refusal = refusalOf(order)
  if (refusal !== null) return StatusAnswer.Refused({ refusal })
  switch (standing(order, now)) {
    case "undecided":
      return StatusAnswer.Unknown()
    case "denied":
      return StatusAnswer.Refused({ refusal: "TRANSACTION_REJECTED" })
    case "confirmed":
      return StatusAnswer.Delivered({ delivery: deliveryOf(order) })
  }
}

// The last two characters of the sale's identifier select the reversal's answer.
const reversal = ({ order: { identifier } }: Reversal, askedAbout: boolean): ReversalAnswer => {
  if (identifier.endsWith("93")) return ReversalAnswer.Denied()
  return identifier.endsWith("94") && !askedAbout ? ReversalAnswer.Unknown() : ReversalAnswer.Confirmed()
}

/**
 * Simulated provider. It delivers nothing. The last characters of the identifier select its answer, even about a sale that
 * was reserved but never sent.
 * - Pending sale: 02 is denied, 12 stays undecided, all others are confirmed.
 * - Reversal: 93 is denied, 94 is unknown until its first status query, all others are confirmed.
 *
 * Its float, the operator's remaining balance, is always a million pesos.
 */
export const simulatedProvider: Provider = {
  knows: () => true,
  dispatch: (order) => Effect.sync(() => dispatch(order)),
  status: (order) => Effect.map(DateTime.now, (now) => status(order, now)),
  reverse: (asked) => Effect.sync(() => reversal(asked, false)),
  reversalStatus: (asked) => Effect.sync(() => reversal(asked, true)),
  lookup: simulatedLookup,
  float: Effect.succeed(FloatAnswer.Read({ balances: [{ unit: "DOP", available: 1_000_000, held: 0 }] }))
}
