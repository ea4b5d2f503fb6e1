import { DateTime, Effect } from "effect"
import type { Identifier } from "../../core/domain/Ids.ts"
import { periodsAt } from "../../core/domain/LocalTime.ts"
import { type Found, LookupAnswer, type LookupQuery } from "../../core/domain/Lookup.ts"
import { Amount } from "../../core/domain/Money.ts"
import type { Offer } from "../../core/domain/Offered.ts"
import type { Package } from "../../core/domain/Package.ts"
import { sellsToPhones } from "../../core/domain/Service.ts"

const holder = "Cliente de Prueba"

// Offers the package under its catalogue code. A provider knows that code even if it never offered the package in a
// lookup.
const packageOffer = ({ code, data, duration, name, price }: Package): Offer => ({
  reference: code,
  name,
  price,
  validity: duration,
  data
})

/** Offers for packages with a unique code. If two imports used one code twice, a sale could charge the wrong price. */
const packageOffers = (packages: ReadonlyArray<Package>): ReadonlyArray<Offer> =>
  packages.filter((one) => !packages.some(({ code, id }) => code === one.code && id !== one.id)).map(packageOffer)

const bill_min = 25_000
const bill_span = 300_000

/** The price of a bill, derived from the contract and the month only. So a bill always costs the same. */
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
    // Prefixed, because a real provider may use the plain month as the reference of a real bill with another price.
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
 * Returns the same examples for every identifier. Used where the identifier may be real but no provider can be asked.
 * Contract: 4.4.
 */
export const exampleLookup = (query: LookupQuery): Effect.Effect<LookupAnswer> =>
  Effect.map(DateTime.now, (now) => LookupAnswer.Found({ found: examples(query, now) }))

/**
 * Simulated lookup. The last character of the identifier selects the scenario: 0 does not exist, 1 has no options, 2
 * gets no answer. Contract: 4.4.
 */
export const simulatedLookup = (query: LookupQuery): Effect.Effect<LookupAnswer> =>
  Effect.map(DateTime.now, (now) => {
    const { identifier, service } = query
    const noNumber = sellsToPhones(service.type) && !/^\d+$/.test(identifier)
    if (noNumber || identifier.endsWith("0")) return LookupAnswer.NoSuchIdentifier()
    if (identifier.endsWith("2")) return LookupAnswer.NoAnswer()
    const found = examples(query, now)
    return LookupAnswer.Found({ found: identifier.endsWith("1") ? { ...found, offers: [] } : found })
  })
