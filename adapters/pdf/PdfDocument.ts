import { DateTime, Effect } from "effect"
import PDFDocument from "pdfkit"
import encodeQR from "qr"
import type { FontName, Fonts } from "./Fonts.ts"

/** A rectangle on a page. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The box reduced by a margin on each side. */
export const inset = ({ height, width, x, y }: Box, by: number): Box => ({
  x: x + by,
  y: y + by,
  width: width - 2 * by,
  height: height - 2 * by
})

/** Splits a box into left and right. `part` is the fraction of the width that the left box gets. */
export const split = (box: Box, part: number): readonly [Box, Box] => {
  const width = box.width * part
  return [
    { ...box, width },
    { ...box, x: box.x + width, width: box.width - width }
  ]
}

/** Splits a box into one column for each item, with widths in proportion to `share`. */
export const columns = <A extends { readonly share: number }>(
  box: Box,
  items: ReadonlyArray<A>
): ReadonlyArray<readonly [A, Box]> => {
  const whole = items.reduce((sum, { share }) => sum + share, 0)
  let taken = 0
  return items.map((item) => {
    const x = box.x + (box.width * taken) / whole
    taken += item.share
    return [item, { ...box, x, width: (box.width * item.share) / whole }] as const
  })
}

/** A PDF document with the fonts of its texts. */
export class Document extends PDFDocument {
  readonly fonts: Fonts
  private readonly registered = new Set<FontName>()

  constructor(fonts: Fonts, options: PDFKit.PDFDocumentOptions) {
    super(options)
    this.fonts = fonts
  }

  /** Selects a font and its size. */
  select(name: FontName, size: number): this {
    if (!this.registered.has(name)) this.registerFont(name, this.fonts(name).bytes)
    this.registered.add(name)
    return this.font(name, size)
  }
}

const point_mm = 25.4 / 72

/** Converts millimetres to points, the PDF unit (1/72 inch). */
export const pointsOf = (millimetres: number): number => millimetres / point_mm

interface Sheet {
  readonly width: number
  readonly height: number
  readonly title: string
  /**
   * Time of the sale or policy that the document describes. The time of rendering is not used, because two copies of one
   * document would then differ in their bytes.
   */
  readonly createdAt: DateTime.Utc
}

/** Opens a document with one empty page. */
export const openDocument = (fonts: Fonts, { createdAt, height, title, width }: Sheet): Document =>
  new Document(fonts, {
    size: [width, height],
    margin: 0,
    lang: "es-DO",
    // The document's id is derived from these values. No other content depends on the time or place of rendering.
    info: { Title: title, CreationDate: DateTime.toDateUtc(createdAt) }
  })

export const bytesOf = (document: Document) =>
  Effect.callback<Uint8Array<ArrayBuffer>>((resume) => {
    const chunks: Array<Uint8Array> = []
    document.on("data", (chunk: Uint8Array) => chunks.push(chunk))
    document.on("error", (error: unknown) => resume(Effect.die(error)))
    document.on("end", () => resume(Effect.succeed(new Uint8Array(Buffer.concat(chunks)))))
    document.end()
  })

/** The methods of a PDF document that drawing a QR code needs. */
interface Canvas {
  rect(x: number, y: number, width: number, height: number): unknown
  fill(): unknown
}

interface Square {
  readonly x: number
  readonly y: number
  readonly side: number
}

/** The width of the white margin that QR code readers require, in modules (squares of the code). */
const quiet = 4

/**
 * Draws a text as a QR code made of vector squares, sharp at every resolution. The given square includes the white
 * margin.
 */
export const drawQr = (canvas: Canvas, text: string, { side, x, y }: Square): void => {
  const modules = encodeQR(text, "raw", { ecc: "medium", border: quiet })
  const module = side / modules.length
  for (const [row, bits] of modules.entries()) {
    for (const [column, dark] of bits.entries()) {
      if (dark) canvas.rect(x + column * module, y + row * module, module, module)
    }
  }
  canvas.fill()
}
