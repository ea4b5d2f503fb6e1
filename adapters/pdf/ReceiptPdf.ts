import { readFile } from "node:fs/promises"
import { DateTime, Effect, Layer } from "effect"
import PDFDocument from "pdfkit"
import { formatLocal } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"
import type { Receipt } from "../../core/domain/Receipt.ts"
import { ReceiptRenderer } from "../../core/ports/ReceiptRenderer.ts"
import { drawQr } from "./QrCode.ts"

type Document = InstanceType<typeof PDFDocument>

interface Fonts {
  readonly plain: Buffer
  readonly bold: Buffer
}

const point_mm = 25.4 / 72
/** A receipt printer's roll. On A4 the page stands by itself, at its size. */
const width = 80 / point_mm
/** What such printers leave white on each side. */
const margin = 4.5 / point_mm
const inner = width - 2 * margin
/** More than any receipt needs: it is drawn at the top, and the page ends where it ends. */
const height_max = 4_000
const qrSide = 26 / point_mm
const labels_width = 0.36 * inner

const pesos = new Intl.NumberFormat("es-DO", { minimumFractionDigits: 2, maximumFractionDigits: 2 })

const open = ({ bold, plain }: Fonts, { processedAt, transactionId }: Receipt): Document => {
  const document = new PDFDocument({
    size: [width, height_max],
    margins: { left: margin, right: margin, top: 3 * margin, bottom: 0 },
    lang: "es-DO",
    // All that would differ from one rendering to the next.
    info: { Title: `Comprobante ${transactionId}`, CreationDate: DateTime.toDateUtc(processedAt) }
  })
  return document.registerFont("plain", plain).registerFont("bold", bold)
}

const centred = (document: Document, font: "plain" | "bold", size: number, text: string): void => {
  document.font(font).fontSize(size).text(text, margin, document.y, { width: inner, align: "center" })
}

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

/** A label on the left and its value on the right; the longer of the two makes the line's height. */
const line = (document: Document, label: string, value: string, size = 8.5): void => {
  const { y } = document
  document.font("plain").fontSize(size).text(label, margin, y, { width: labels_width })
  const below = document.y
  document.font("bold").text(value, margin + labels_width, y, { width: inner - labels_width, align: "right" })
  document.y = Math.max(below, document.y) + 2
}

const reversedMark = (document: Document): void => {
  const top = document.y + 3
  document.y = top + 3
  centred(document, "bold", 14, "ANULADA")
  document
    .rect(margin + 30, top, inner - 60, document.y - top + 1)
    .lineWidth(1.2)
    .stroke()
  document.y += 5
}

/** Draws the receipt from top to bottom, and tells where it ends. */
const draw = (document: Document, receipt: Receipt): number => {
  centred(document, "bold", 12, receipt.merchant)
  centred(document, "plain", 8.5, "Comprobante de venta")
  if (receipt.reversed) reversedMark(document)
  rule(document)
  line(document, "Servicio", receipt.service)
  line(document, "Identificador", receipt.identifier)
  line(document, "Fecha y hora", formatLocal(receipt.processedAt))
  line(document, "Transacción", String(receipt.transactionId))
  line(document, "Autorización", receipt.authCode)
  rule(document)
  line(document, "Monto", `RD$ ${pesos.format(toPesos(receipt.amount))}`, 13)
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

const bytesOf = (document: Document) =>
  Effect.callback<Uint8Array>((resume) => {
    const chunks: Array<Uint8Array> = []
    document.on("data", (chunk: Uint8Array) => chunks.push(chunk))
    document.on("error", (error: unknown) => resume(Effect.die(error)))
    document.on("end", () => resume(Effect.succeed(new Uint8Array(Buffer.concat(chunks)))))
    document.end()
  })

const plainFont = import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf")
const boldFont = import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf")

// The fonts of every PDF reader have no letters beyond those of Western Europe; names may.
const readFonts = Effect.promise(async (): Promise<Fonts> => {
  const [plain, bold] = await Promise.all([readFile(new URL(plainFont)), readFile(new URL(boldFont))])
  return { plain, bold }
})

/** Receipts as PDF, one page as wide as a roll and as long as it must be. */
export const layer = Layer.effect(
  ReceiptRenderer,
  Effect.map(readFonts, (fonts) =>
    ReceiptRenderer.of({
      pdf: (receipt) =>
        Effect.suspend(() => {
          const document = open(fonts, receipt)
          const height = draw(document, receipt)
          Object.assign(document.page.dictionary.data, { MediaBox: [0, height_max - height, width, height_max] })
          return bytesOf(document)
        })
    })
  )
)
