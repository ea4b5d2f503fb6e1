import type { PolicyFacts } from "../../core/domain/Insurance.ts"
import { issuer } from "../../core/domain/Receipt.ts"
import { type Box, columns, type Document, drawQr, inset, pointsOf, split } from "./PdfDocument.ts"
import {
  drawTestBackground,
  drawTestBand,
  ink,
  insuranceTitle,
  isTest,
  qrTextOf,
  spellAmount,
  spellCedula,
  spellDay,
  spellInstant,
  spellPhone,
  testWords,
  vehicleTypes
} from "./PrintStyle.ts"
import { writeIn } from "./TextLayout.ts"

/** Page size of the policy: letter format (carta), the country's standard. */
export const polizaSize = { width: pointsOf(215.9), height: pointsOf(279.4) }

const margin = pointsOf(17)
const inner = polizaSize.width - 2 * margin
const tint = "#eaf0f6"
const grid = "#9aa9b8"

const across = (y: number, height: number): Box => ({ x: margin, y, width: inner, height })

const heading_height = 17
const gap = 8

/** Draws a section heading with a bar on its left. Returns the position of the section's content. */
const part = (document: Document, y: number, name: string): number => {
  document.rect(margin, y + 3, 3, 10).fill(ink)
  writeIn(document, { x: margin + 8, y: y + 2, width: inner - 8, height: 13 }, name, { font: "bold", size: 9.5 })
  document.fillColor("black")
  return y + heading_height
}

interface Field {
  readonly label: string
  readonly value: string
  /** Width of the field in proportion to the other fields of the row. */
  readonly share: number
}

/** Draws the fields of a form in one row. Returns the position below the row. */
const row = (document: Document, box: Box, fields: ReadonlyArray<Field>): number => {
  for (const [{ label, value }, cell] of columns(box, fields)) {
    document.rect(cell.x, cell.y, cell.width, cell.height).lineWidth(0.6).stroke(grid)
    const { height, width, x, y } = inset(cell, 5)
    document.fillColor("#44515e")
    writeIn(document, { x, y: y - 1, width, height: 9 }, label, { font: "plain", size: 7 })
    document.fillColor("black")
    writeIn(document, { x, y: y + 9, width, height: height - 8 }, value, { font: "bold", size: 10.5 })
  }
  return box.y + box.height
}

const letterhead = (document: Document, { policy }: PolicyFacts): number => {
  const top = margin
  document.fillColor(ink)
  writeIn(document, { x: margin, y: top, width: 200, height: 30 }, issuer, { font: "bold", size: 24 })
  document.fillColor("black")
  writeIn(document, { x: margin, y: top + 30, width: 200, height: 12 }, "Intermediario de seguros", {
    font: "plain",
    size: 8.5
  })
  const right = { x: margin + 210, width: inner - 210 }
  writeIn(document, { ...right, y: top + 3, height: 11 }, "Póliza n.º", { font: "plain", size: 8.5, align: "right" })
  writeIn(document, { ...right, y: top + 14, height: 27 }, policy.number, { font: "bold", size: 17, align: "right" })
  document
    .moveTo(margin, top + 46)
    .lineTo(margin + inner, top + 46)
    .lineWidth(1.5)
    .stroke(ink)
  writeIn(document, across(top + 54, 20), `Póliza de ${insuranceTitle.toLowerCase()}`, {
    font: "bold",
    size: 14.5,
    align: "center"
  })
  return top + 80
}

const validity = (document: Document, top: number, { policy: { issuedAt, validity } }: PolicyFacts): number => {
  const box = across(top, 34)
  document.rect(box.x, box.y, box.width, box.height).fill(tint)
  return row(document, box, [
    { label: "Vigente desde", value: spellDay(validity.from), share: 3 },
    { label: "Vigente hasta, ese día incluido", value: spellDay(validity.until), share: 3 },
    { label: "Emitida, hora de Santo Domingo", value: spellInstant(issuedAt), share: 4 }
  ])
}

const insured = (document: Document, top: number, { insured: { cedula, holder, phone } }: PolicyFacts): number =>
  row(document, across(part(document, top, "Asegurado"), 38), [
    { label: "Nombre completo", value: holder, share: 6 },
    { label: "Cédula", value: spellCedula(cedula), share: 2 },
    { label: "Teléfono", value: spellPhone(phone), share: 2 }
  ])

const vehicle = (document: Document, top: number, { insured, plate, version }: PolicyFacts): number => {
  const { brand, chassis, model, type, year } = insured.vehicle
  const middle = row(document, across(part(document, top, "Vehículo"), 36), [
    { label: "Placa", value: plate, share: 2 },
    { label: "Marca", value: brand, share: 3 },
    { label: "Modelo", value: model, share: 4 },
    { label: "Año", value: String(year), share: 1 }
  ])
  return row(document, across(middle, 36), [
    { label: "Tipo", value: vehicleTypes[type], share: 2 },
    { label: "Versión", value: version.name, share: 4 },
    { label: "Chasis", value: chassis, share: 4 }
  ])
}

const cover = (document: Document, top: number, { plan: { coverage, months, name } }: PolicyFacts): number => {
  const middle = row(document, across(part(document, top, "Cobertura"), 34), [
    { label: "Plan", value: name, share: 8 },
    { label: "Duración", value: months === 1 ? "1 mes" : `${months} meses`, share: 2 }
  ])
  const box = across(middle, 92)
  document.rect(box.x, box.y, box.width, box.height).lineWidth(0.6).stroke(grid)
  // A non-breaking space prevents a line break between currency and amount.
  writeIn(document, inset(box, 6), coverage.replace(/RD\$ (?=\d)/g, "RD$\u00a0"), { font: "plain", size: 10.5 })
  return box.y + box.height
}

const extras_height = 40

const price = (document: Document, top: number, { quote: { extras, total } }: PolicyFacts): number => {
  const box = across(part(document, top, "Servicios opcionales y prima"), extras_height)
  document.rect(box.x, box.y, box.width, box.height).lineWidth(0.6).stroke(grid)
  const lines = extras.map(({ name, price }) => [name, spellAmount(price)] as const)
  const shown = lines.length === 0 ? [["Sin servicios opcionales", ""] as const] : lines
  const height = (extras_height - 6) / Math.max(2, shown.length)
  for (const [index, [name, amount]] of shown.entries()) {
    const line = { ...inset(box, 6), y: box.y + 3 + index * height, height }
    const [left, right] = split(line, 0.8)
    writeIn(document, left, name, { font: "plain", size: 9.5, middle: true })
    writeIn(document, right, amount, { font: "plain", size: 9.5, align: "right", middle: true })
  }
  const sum = across(box.y + box.height, 28)
  document.rect(sum.x, sum.y, sum.width, sum.height).fillAndStroke(tint, grid)
  document.fillColor("black")
  const [left, right] = split(inset(sum, 6), 0.6)
  const paid = extras.length === 0 ? "Prima total pagada" : "Prima total pagada, servicios opcionales incluidos"
  writeIn(document, left, paid, { font: "bold", size: 10, middle: true })
  writeIn(document, right, spellAmount(total), { font: "bold", size: 14, align: "right", middle: true })
  return sum.y + sum.height
}

const promise = "Ampara al vehículo que aquí se describe, con la cobertura y en los días que siguen."

const terms = [
  "Esta póliza ampara solo al vehículo descrito, y solo en los días de su vigencia, el primero y el último incluidos.",
  "Cubre lo que dice la cobertura, más los servicios opcionales que aparecen con su precio. Lo que no aparece aquí no está contratado.",
  "Revise sus datos y los del vehículo. Si alguno no es correcto, pida que se corrija antes de circular: con datos falsos el seguro puede quedar sin efecto.",
  "Si ocurre un accidente, avise a las autoridades y repórtelo cuanto antes con el número de esta póliza.",
  "Lleve el marbete en el vehículo y presente esta póliza cuando la autoridad la pida.",
  "La venta de este seguro no se anula. El código muestra número, placa y vigencia, para compararlos con lo impreso."
]

const qrSide = pointsOf(38)

const conditions = (document: Document, top: number, facts: PolicyFacts): void => {
  const width = inner - qrSide - 10
  let y = part(document, top, "Condiciones")
  for (const [index, term] of terms.entries()) {
    const line = { y, height: 21 }
    writeIn(document, { ...line, x: margin, width: 12 }, `${index + 1}.`, { font: "plain", size: 8 })
    writeIn(document, { ...line, x: margin + 12, width: width - 12 }, term, { font: "plain", size: 8 })
    y = document.y + 1.5
  }
  drawQr(document, qrTextOf(facts), { x: margin + inner - qrSide, y: top, side: qrSide })
}

/** Draws the policy on one page. Each text has its own box, and shrinks to stay inside it. Contract: 4.6. */
export const drawPoliza = (document: Document, facts: PolicyFacts): void => {
  const test = isTest(facts.policy.number)
  if (test) drawTestBackground(document, across(margin, polizaSize.height - 2 * margin))
  let y = letterhead(document, facts)
  const lead = across(y, 20)
  if (test) drawTestBand(document, lead, `${testWords}. La emitió el simulador: no ampara a ningún vehículo.`)
  else writeIn(document, lead, promise, { font: "plain", size: 9.5, align: "center", middle: true })
  y = validity(document, y + lead.height + gap, facts)
  y = insured(document, y + gap, facts)
  y = vehicle(document, y + gap, facts)
  y = cover(document, y + gap, facts)
  y = price(document, y + gap, facts)
  conditions(document, y + gap, facts)
  const foot = `Vendida por medio de ${issuer} · Póliza ${facts.policy.number} · Placa ${facts.plate}`
  writeIn(document, across(polizaSize.height - margin - 9, 9), foot, { font: "plain", size: 7, align: "center" })
}
