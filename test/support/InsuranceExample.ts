import { DateTime } from "effect"
import { CompanyId, InsuranceId, ServiceId } from "../../core/domain/Ids.ts"
import type { Insurance } from "../../core/domain/Insurance.ts"
import type { Extra, Plan, Version } from "../../core/domain/InsuranceOffer.ts"
import { Amount } from "../../core/domain/Money.ts"
import { Cedula, Phone, Plate } from "../../core/domain/Person.ts"

/** The insurance service of the example catalogue. */
export const insuranceServiceId = ServiceId.make(6)

export const tow: Extra = { code: "grua", name: "Grúa", price: Amount.make(85_000) }
export const home: Extra = { code: "casa_conductor", name: "Casa del conductor", price: Amount.make(60_000) }

export const plan: Plan = {
  code: "LEY-12",
  name: "Ley, un año",
  coverage: "Daños a terceros",
  months: 12,
  price: Amount.make(595_050),
  suggested: true
}

export const version: Version = { id: "LE 1.8", name: "Corolla LE 1.8", suggested: true }

/** Expiry of the quote in the example. */
export const quoteEnds = DateTime.makeUnsafe("2026-03-04T12:30:00.000Z")

/** An insurance of company 7 with a quote that includes a tow and can be sold. */
export const insurance: Insurance = {
  id: InsuranceId.make(31),
  companyId: CompanyId.make(7),
  serviceId: insuranceServiceId,
  environment: "development",
  state: "cotizado",
  plate: Plate.make("A123458"),
  insured: {
    cedula: Cedula.make("00112345678"),
    phone: Phone.make("8095551234"),
    holder: "Titular de Prueba",
    vehicle: { brand: "Toyota", model: "Corolla", year: 2019, type: "automovil", chassis: "9SBXA000000123458" }
  },
  terminalId: null,
  renewal: false,
  reference: "CASO-1",
  versions: [version],
  version,
  plan,
  offeredExtras: [tow, home],
  quote: { reference: "COT-1", total: Amount.make(680_050), extras: [tow], expiresAt: quoteEnds },
  transactionId: null,
  policy: null,
  createdAt: DateTime.makeUnsafe("2026-03-04T11:50:00.000Z")
}
