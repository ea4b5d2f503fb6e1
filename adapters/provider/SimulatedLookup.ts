import { DateTime, Effect } from "effect"
import type { Identifier } from "../../core/domain/Ids.ts"
import { periodsAt } from "../../core/domain/LocalTime.ts"
import { type Found, LookupAnswer, type LookupQuery } from "../../core/domain/Lookup.ts"
import { Amount } from "../../core/domain/Money.ts"
import type { Offer } from "../../core/domain/Offered.ts"
import type { Package } from "../../core/domain/Package.ts"
import { sellsToPhones } from "../../core/domain/Service.ts"

const holder = "Cliente de Prueba"

// By its code in the catalogue a provider may know a package that it was never asked about.
const packageOffer = ({ code, data, duration, name, price }: Package): Offer => ({
  reference: code,
  name,
  price,
  validity: duration,
  data
})

/** The packages that their codes name. A code that two have, of two imports, would sell one at the other's price. */
const packageOffers = (packages: ReadonlyArray<Package>): ReadonlyArray<Offer> =>
  packages.filter((one) => !packages.some(({ code, id }) => code === one.code && id !== one.id)).map(packageOffer)

const bill_min = 25_000
const bill_span = 300_000

/**
 * Centavos that follow from the contract and the month alone, so that a bill costs the same whenever it is asked for.
 */
const billPrice = (identifier: Identifier, month: string): Amount => {
  let sum = 0
  for (const character of `${month}/${identifier}`) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % bill_span
  return Amount.make(bill_min + sum)
}

/** @param begins the first day of its month. */
const bill = (identifier: Identifier, begins: DateTime.Utc): Offer => {
  const month = DateTime.formatIsoDateUtc(begins).slice(0, 7)
  return {
    // A provider may know a bill by its month alone, and its price is not to be taken for this one's.
    reference: `ejemplo-${month}`,
    name: `Factura de ${DateTime.formatUtc(begins, { locale: "es-DO", month: "long", year: "numeric" })}`,
    price: billPrice(identifier, month),
    validity: null,
    data: null
  }
}

/** The bills of this month and of the one before. */
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

/** Answers without regard to the identifier: it may be a real one, of which nobody could be asked. Contract: 4.4. */
export const exampleLookup = (query: LookupQuery): Effect.Effect<LookupAnswer> =>
  Effect.map(DateTime.now, (now) => LookupAnswer.Found({ found: examples(query, now) }))

/**
 * Answers by the last character of the identifier: 0 does not exist, 1 has no options, 2 is not answered.
 * Contract: 4.4.
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
