import { Effect, Layer } from "effect"
import { formatLocal } from "../../core/domain/LocalTime.ts"
import type { Receipt } from "../../core/domain/Receipt.ts"
import { ReceiptRenderer } from "../../core/ports/Renderers.ts"
import { type Fonts, makeFonts } from "./Fonts.ts"
import { bytesOf, type Document, drawQr, openDocument, pointsOf } from "./PdfDocument.ts"
import { isTest, spellAmount, testWords } from "./PrintStyle.ts"
import { type Face, write } from "./TextLayout.ts"

/** Width of a receipt printer's roll. On A4 paper the receipt keeps this width. */
const width = pointsOf(80)
/** The margin that receipt printers leave white on each side. */
const margin = pointsOf(4.5)
const inner = width - 2 * margin
/**
 * Height of the page while the receipt is drawn, more than any receipt needs. After drawing, the page is cut to the
 * height of its content.
 */
const height_max = 4_000
const qrSide = pointsOf(26)
const labels_width = 0.36 * inner

const centred = (document: Document, font: Face, size: number, text: string): void =>
  write(document, font, text, { x: margin, y: document.y, width: inner, size, align: "center" })

const rule = (document: Document): void => {
  const y = document.y + 4
  document
    .moveTo(margin, y)
    .lineTo(width - margin, y)
    .lineWidth(0.7)
    .dash(2, { space: 2 })
    .stroke()
    .undash()
  document.y = y + 5
}

/** Draws a label on the left and its value on the right. The taller of the two texts decides the height of the row. */
const line = (document: Document, label: string, value: string, size = 8.5): void => {
  const { y } = document
  write(document, "plain", label, { x: margin, y, width: labels_width, size, align: "left" })
  const below = document.y
  write(document, "bold", value, { x: margin + labels_width, y, width: inner - labels_width, size, align: "right" })
  document.y = Math.max(below, document.y) + 2
}

/** Draws a word in a frame. It uses no colour, because receipt printers print none. */
const mark = (document: Document, words: string): void => {
  const top = document.y + 3
  document.y = top + 3
  centred(document, "bold", 14, words)
  document
    .rect(margin + 10, top, inner - 20, document.y - top + 1)
    .lineWidth(1.2)
    .stroke()
  document.y += 5
}

/** Draws the receipt from top to bottom. Returns the position of its end. */
const draw = (document: Document, receipt: Receipt): number => {
  document.y = 3 * margin
  centred(document, "bold", 12, receipt.merchant)
  centred(document, "plain", 8.5, "Comprobante de venta")
  if (isTest(receipt.authCode)) mark(document, testWords)
  if (receipt.status === "REVERSED") mark(document, "ANULADA")
  rule(document)
  line(document, "Servicio", receipt.service)
  line(document, "Identificador", receipt.identifier)
  line(document, "Fecha y hora", formatLocal(receipt.processedAt))
  line(document, "Transacción", String(receipt.transactionId))
  line(document, "Autorización", receipt.authCode)
  rule(document)
  line(document, "Monto", spellAmount(receipt.amount), 13)
  rule(document)
  if (receipt.rechargeToken !== null) {
    centred(document, "plain", 8.5, "Digite este código en el medidor")
    centred(document, "bold", 13.5, receipt.rechargeToken)
    rule(document)
  }
  centred(document, "plain", 8.5, receipt.message)
  document.y += 6
  drawQr(document, receipt.xid, { x: (width - qrSide) / 2, y: document.y, side: qrSide })
  document.y += qrSide + 4
  centred(document, "plain", 7, receipt.xid)
  centred(document, "plain", 7, `Emitido por ${receipt.issuer}`)
  return document.y + 3 * margin
}

/** A receipt as PDF: one page as wide as the roll and as long as its content. */
export const receiptPdf = (fonts: Fonts, receipt: Receipt) =>
  Effect.suspend(() => {
    const document = openDocument(fonts, {
      width,
      height: height_max,
      title: `Comprobante ${receipt.transactionId}`,
      createdAt: receipt.processedAt
    })
    const height = draw(document, receipt)
    Object.assign(document.page.dictionary.data, { MediaBox: [0, height_max - height, width, height_max] })
    return bytesOf(document)
  })

/** Renders in this thread. */
export const layer = Layer.sync(ReceiptRenderer, () => {
  const fonts = makeFonts()
  return ReceiptRenderer.of({ pdf: (receipt) => receiptPdf(fonts, receipt) })
})
