import { readFile } from "node:fs/promises"
import { DateTime, Effect } from "effect"
import PDFDocument from "pdfkit"
import encodeQR from "qr"

/** A rectangle on a page. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Style {
  readonly font: "plain" | "bold"
  /** The preferred font size. A text that does not fit shrinks, but never below `least`. */
  readonly size: number
  readonly least?: number
  readonly align?: "left" | "center" | "right"
  /** Whether the text is centred vertically. If not, it starts at the top. */
  readonly middle?: boolean
}

const size_step = 0.5

/** A text may shrink to this fraction of its size before a word is broken. */
const whole_least = 0.6

const sizesDown = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: Math.floor((from - to) / size_step) + 1 }, (_, step) => from - step * size_step)

/**
 * The largest font size at which the text fits, without broken words if possible. Returns `least` if the text fits at
 * no size.
 */
const sizeFor = (document: Document, { height, width }: Box, words: string, size: number, least: number): number => {
  const fits = (at: number) => document.fontSize(at).heightOfString(words, { width }) <= height
  const whole = (at: number) => words.split(" ").every((word) => document.fontSize(at).widthOfString(word) <= width)
  const sizes = sizesDown(size, Math.min(size, least))
  return sizes.find((at) => at >= whole_least * size && fits(at) && whole(at)) ?? sizes.find(fits) ?? least
}

/**
 * Writes a text inside its box. Long texts wrap and shrink. A text that does not fit at the smallest size ends in an
 * ellipsis.
 */
export const writeIn = (
  document: Document,
  box: Box,
  text: string,
  { align = "left", font, least = 5, middle = false, size }: Style
): void => {
  const { height, width, x, y } = box
  // Keeps non-breaking spaces.
  const words = text.replace(/[^\S\u00a0]+/g, " ").trim()
  document.font(font)
  document.fontSize(sizeFor(document, box, words, size, least))
  const spare = middle ? Math.max(0, height - document.heightOfString(words, { width })) / 2 : 0
  document.text(words, x, y + spare, { width, height: height - spare, align, ellipsis: true })
}

/** The box reduced by a margin on each side. */
export const inset = ({ height, width, x, y }: Box, by: number): Box => ({
  x: x + by,
  y: y + by,
  width: width - 2 * by,
  height: height - 2 * by
})

/** Splits a box into left and right. `part` is the left box's share of the width. */
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

export type Document = InstanceType<typeof PDFDocument>

export interface Fonts {
  readonly plain: Buffer
  readonly bold: Buffer
}

const plainFont = import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf")
const boldFont = import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf")

// Loads fonts from files. The fonts that every PDF reader has contain only Western European letters, but names may
// contain other letters.
export const readFonts = Effect.promise(async (): Promise<Fonts> => {
  const [plain, bold] = await Promise.all([readFile(new URL(plainFont)), readFile(new URL(boldFont))])
  return { plain, bold }
})

const point_mm = 25.4 / 72

/** Converts millimetres to points, the PDF unit (1/72 inch). */
export const pointsOf = (millimetres: number): number => millimetres / point_mm

interface Sheet {
  readonly width: number
  readonly height: number
  readonly title: string
  /**
   * When the documented sale or policy was made. With the time of rendering, two copies of one document would differ in
   * their bytes.
   */
  readonly createdAt: DateTime.Utc
}

/** Opens a document with one empty page. */
export const openDocument = ({ bold, plain }: Fonts, { createdAt, height, title, width }: Sheet): Document => {
  const document = new PDFDocument({
    size: [width, height],
    margin: 0,
    lang: "es-DO",
    // The document's id is derived from these values. No other content depends on the time or place of rendering.
    info: { Title: title, CreationDate: DateTime.toDateUtc(createdAt) }
  })
  return document.registerFont("plain", plain).registerFont("bold", bold)
}

export const bytesOf = (document: Document) =>
  Effect.callback<Uint8Array>((resume) => {
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
