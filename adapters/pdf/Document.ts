import { readFile } from "node:fs/promises"
import { DateTime, Effect } from "effect"
import PDFDocument from "pdfkit"

export type Document = InstanceType<typeof PDFDocument>

export interface Fonts {
  readonly plain: Buffer
  readonly bold: Buffer
}

const plainFont = import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf")
const boldFont = import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf")

// The fonts that every PDF reader has lack letters beyond Western European ones. Names may contain those.
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
  /** When the documented facts arose. The time of rendering would make each copy differ in its bytes. */
  readonly createdAt: DateTime.Utc
}

/** Opens a document with one empty page. */
export const openDocument = ({ bold, plain }: Fonts, { createdAt, height, title, width }: Sheet): Document => {
  const document = new PDFDocument({
    size: [width, height],
    margin: 0,
    lang: "es-DO",
    // The document's id is derived from these values. Nothing else in it depends on the time or place of rendering.
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
