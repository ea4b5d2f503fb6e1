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

// The fonts of every PDF reader have no letters beyond those of Western Europe; names may.
export const readFonts = Effect.promise(async (): Promise<Fonts> => {
  const [plain, bold] = await Promise.all([readFile(new URL(plainFont)), readFile(new URL(boldFont))])
  return { plain, bold }
})

const point_mm = 25.4 / 72

/** The unit of a PDF: 72 to the inch. */
export const pointsOf = (millimetres: number): number => millimetres / point_mm

interface Sheet {
  readonly width: number
  readonly height: number
  readonly title: string
  /** When what it says came to be: the instant of rendering would make other bytes every time. */
  readonly createdAt: DateTime.Utc
}

/** A document of one empty page. */
export const openDocument = ({ bold, plain }: Fonts, { createdAt, height, title, width }: Sheet): Document => {
  const document = new PDFDocument({
    size: [width, height],
    margin: 0,
    lang: "es-DO",
    // The document's id follows from these, and nothing else of it depends on when and where it is made.
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
