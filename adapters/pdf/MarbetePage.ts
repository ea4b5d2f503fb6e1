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
  spellShortDay,
  vehicleTypes
} from "./PrintStyle.ts"
import { writeIn } from "./TextLayout.ts"

/** Size of the windscreen sticker. */
export const marbeteSize = { width: pointsOf(100), height: pointsOf(70) }

const margin = pointsOf(4)
const inner: Box = inset({ x: 0, y: 0, ...marbeteSize }, margin)

const at = (y: number, height: number): Box => ({ ...inner, y: inner.y + y, height })

const head_height = 20
const foot_height = 18
const qrSide = pointsOf(31)

const head = (document: Document): void => {
  const box = at(0, head_height)
  document.rect(box.x, box.y, box.width, box.height).fill(ink)
  document.fillColor("white")
  const [left, right] = split(inset(box, 5), 0.8)
  writeIn(document, left, insuranceTitle, { font: "bold", size: 9.5, middle: true })
  writeIn(document, right, issuer, { font: "bold", size: 9.5, align: "right", middle: true })
  document.fillColor("black")
}

const vehicle = (document: Document, { insured, plate }: PolicyFacts): void => {
  const { brand, model, type, year } = insured.vehicle
  const box = { ...at(head_height + 5, qrSide), x: inner.x + 6, width: inner.width - qrSide - 8 }
  writeIn(document, { ...box, height: 9 }, "Placa", { font: "plain", size: 7 })
  writeIn(document, { ...box, y: box.y + 9, height: 43 }, plate, { font: "bold", size: 36 })
  const words = `${brand} ${model} ${year}, ${vehicleTypes[type].toLowerCase()}`
  writeIn(document, { ...box, y: box.y + 53, height: 33 }, words, { font: "bold", size: 11, middle: true })
}

const term = (document: Document, { policy: { number, validity } }: PolicyFacts): void => {
  const box = at(head_height + qrSide + 8, 32)
  const fields = [
    { label: "Póliza n.º", value: number, share: 9 },
    { label: "Vigente desde", value: spellShortDay(validity.from), share: 7 },
    { label: "Vigente hasta", value: spellShortDay(validity.until), share: 7 }
  ]
  for (const [{ label, value }, cell] of columns({ ...box, x: box.x + 6, width: box.width - 6 }, fields)) {
    const place = { ...cell, width: cell.width - 6 }
    writeIn(document, { ...place, height: 9 }, label, { font: "plain", size: 7 })
    writeIn(document, { ...place, y: cell.y + 9, height: 23 }, value, { font: "bold", size: 13, middle: true })
  }
}

/** Draws the windscreen sticker. It is visible from outside, so it shows nothing about the owner. Contract: 4.6, step 8. */
export const drawMarbete = (document: Document, facts: PolicyFacts): void => {
  const test = isTest(facts.policy.number)
  const foot = at(inner.height - foot_height, foot_height)
  if (test) drawTestBackground(document, at(head_height, inner.height - head_height - foot_height))
  head(document)
  vehicle(document, facts)
  drawQr(document, qrTextOf(facts), {
    x: inner.x + inner.width - qrSide - 2,
    y: inner.y + head_height + 3,
    side: qrSide
  })
  term(document, facts)
  if (test) drawTestBand(document, foot)
  else
    writeIn(document, foot, "Colóquelo en un lugar visible del parabrisas", { font: "plain", size: 8, align: "center" })
  document.rect(inner.x, inner.y, inner.width, inner.height).lineWidth(0.8).stroke(ink)
}
