import { readFileSync } from "node:fs"
import { inflateSync } from "node:zlib"
import { create } from "fontkit"

/** A font of the documents. `fallback` has the characters that the other two fonts lack. */
export type FontName = "plain" | "bold" | "fallback"

interface Font {
  readonly bytes: Buffer<ArrayBuffer>
  /** Height above the baseline, relative to the font size. */
  readonly ascent: number
  readonly has: (codePoint: number) => boolean
}

export type Fonts = (name: FontName) => Font

// The fonts that every PDF reader has contain only Western European letters, but names may contain other letters. The
// path of the fallback font is looked up only when the font is needed.
const files: { readonly [_ in FontName]: () => string } = {
  plain: () => import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf"),
  bold: () => import.meta.resolve("dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf"),
  fallback: () => import.meta.resolve("@fontsource/unifontex/files/unifontex-latin-400-normal.woff")
}

const woffHeader = 44
const woffEntry = 20
const sfntHeader = 12
const sfntEntry = 16

/**
 * The font in a WOFF file as an uncompressed font file. pdfkit can read WOFF too, but unpacks its largest table anew for
 * each use, which takes a second per document. Source: W3C, WOFF File Format 1.0.
 */
const unpacked = (woff: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> => {
  const count = woff.readUInt16BE(12)
  const head = Buffer.alloc(sfntHeader + sfntEntry * count)
  woff.copy(head, 0, 4, 8)
  head.writeUInt16BE(count, 4)
  const parts = [head]
  let end = head.length
  for (let index = 0; index < count; index++) {
    const from = woffHeader + woffEntry * index
    const to = sfntHeader + sfntEntry * index
    const [offset, packed, length] = [4, 8, 12].map((at) => woff.readUInt32BE(from + at)) as [number, number, number]
    const table = woff.subarray(offset, offset + packed)
    const bytes = packed < length ? inflateSync(table) : table
    woff.copy(head, to, from, from + 4)
    woff.copy(head, to + 4, from + 16, from + 20)
    head.writeUInt32BE(end, to + 8)
    head.writeUInt32BE(length, to + 12)
    const padding = Buffer.alloc(-length & 3)
    parts.push(bytes, padding)
    end += length + padding.length
  }
  return Buffer.concat(parts)
}

const readFont = (name: FontName): Font => {
  const file = files[name]()
  const read = readFileSync(new URL(file))
  const bytes = file.endsWith(".woff") ? unpacked(read) : read
  const font = create(bytes)
  return { bytes, ascent: font.ascent / font.unitsPerEm, has: (codePoint) => font.hasGlyphForCodePoint(codePoint) }
}

/** The fonts of the documents. Each font is read from its file when it is first needed. */
export const makeFonts = (): Fonts => {
  const known = new Map<FontName, Font>()
  return (name) => {
    const font = known.get(name) ?? readFont(name)
    known.set(name, font)
    return font
  }
}
