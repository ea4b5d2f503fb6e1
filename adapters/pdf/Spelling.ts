import { DateTime } from "effect"
import { dayOf, formatLocal } from "../../core/domain/LocalTime.ts"
import { type Amount, toPesos } from "../../core/domain/Money.ts"
import type { Cedula, Phone } from "../../core/domain/Person.ts"

const pesos = new Intl.NumberFormat("es-DO", { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** Formats an amount as `RD$ 1,250.00`. */
export const spellAmount = (amount: Amount): string => `RD$ ${pesos.format(toPesos(amount))}`

/** Formats an identity number as on the card: `001-1234567-8`. */
export const spellCedula = (cedula: Cedula): string => cedula.replace(/^(\d{3})(\d{7})(\d)$/, "$1-$2-$3")

/** Formats a phone number as `809-555-1234`. */
export const spellPhone = (phone: Phone): string => phone.replace(/^(\d{3})(\d{3})(\d{4})$/, "$1-$2-$3")

/** Formats a local day in full: `4 de marzo de 2026`. */
export const spellDay = (day: string): string =>
  DateTime.formatUtc(DateTime.makeUnsafe(`${day}T00:00:00Z`), { locale: "es-DO", dateStyle: "long" })

/** Formats a local day in short form: `04/03/2026`. */
export const spellShortDay = (day: string): string => day.split("-").reverse().join("/")

/** Formats an instant in local time: `4 de marzo de 2026, 09:30:00`. */
export const spellInstant = (instant: DateTime.Utc): string =>
  `${spellDay(dayOf(instant))}, ${formatLocal(instant).slice(11)}`
