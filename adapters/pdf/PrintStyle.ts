import { DateTime } from "effect"
import type { PolicyFacts } from "../../core/domain/Insurance.ts"
import type { VehicleType } from "../../core/domain/InsuranceOffer.ts"
import { dayOf, formatLocal } from "../../core/domain/LocalTime.ts"
import { type Amount, toPesos } from "../../core/domain/Money.ts"
import type { Cedula, Phone } from "../../core/domain/Person.ts"
import type { Box, Document } from "./PdfDocument.ts"
import { writeIn } from "./TextLayout.ts"

/**
 * Whether the simulator issued this authorization code or policy. A document of the simulator is marked as a test.
 * Contract: 2.5.
 */
export const isTest = (authCode: string): boolean => authCode.startsWith("SBX")

export const testWords = "SIN VALIDEZ — PRUEBA"

/** Draws a dark band that marks a test document. */
export const drawTestBand = (document: Document, box: Box, words = testWords): void => {
  document.rect(box.x, box.y, box.width, box.height).fill("#a4161a")
  document.fillColor("white")
  writeIn(document, { ...box, x: box.x + 8, width: box.width - 16 }, words, {
    font: "bold",
    size: 0.62 * box.height,
    align: "center",
    middle: true
  })
  document.fillColor("black")
}

/** Draws large pale letters across the page, behind the text. Unlike a band at the edge, they cannot be cut off. */
export const drawTestBackground = (document: Document, { height, width, x, y }: Box): void => {
  const diagonal = Math.hypot(width, height)
  const [middle, centre] = [x + width / 2, y + height / 2]
  const line = { x: middle - diagonal / 2, y: centre - diagonal / 10, width: diagonal, height: diagonal / 5 }
  document.save().rotate((-Math.atan(height / width) * 180) / Math.PI, { origin: [middle, centre] })
  document.fillColor("#f3d9da")
  writeIn(document, line, testWords, { font: "bold", size: diagonal / 14, align: "center", middle: true })
  document.restore()
  document.fillColor("black")
}

/** The colour of headings and frames. */
export const ink = "#12355b"

/** The title of the policy and of the sticker. */
export const insuranceTitle = "Seguro obligatorio de vehículos de motor"

export const vehicleTypes = {
  automovil: "Automóvil",
  jeepeta: "Jeepeta",
  camioneta: "Camioneta",
  motocicleta: "Motocicleta"
} as const satisfies Record<VehicleType, string>

/**
 * The content of the QR code, for comparison with the printed text. It uses ASCII only, because some scanners show no
 * other characters.
 */
export const qrTextOf = ({ plate, policy }: PolicyFacts): string =>
  [
    `POLIZA ${policy.number}`,
    `PLACA ${plate}`,
    `DESDE ${policy.validity.from}`,
    `HASTA ${policy.validity.until}`,
    ...(isTest(policy.number) ? ["PRUEBA SIN VALIDEZ"] : [])
  ].join("\n")

const pesos = new Intl.NumberFormat("es-DO", { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** Formats centavos as pesos: `1,250.00`. */
export const spellPesos = (centavos: number): string => pesos.format(toPesos(centavos))

/** Formats an amount as `RD$ 1,250.00`. */
export const spellAmount = (amount: Amount): string => `RD$ ${spellPesos(amount)}`

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
