import type { FontName } from "./Fonts.ts"
import type { Box, Document } from "./PdfDocument.ts"

export type Face = "plain" | "bold"

/** A part of a line that is drawn with one call: in one font, and in one direction. */
interface Piece {
  readonly font: FontName
  readonly text: string
}

const graphemes = new Intl.Segmenter("es", { granularity: "grapheme" })

const graphemesOf = (text: string): ReadonlyArray<string> =>
  Array.from(graphemes.segment(text), ({ segment }) => segment)

const joiner = /[\u200c\u200d]/
const unseen = /[\p{Default_Ignorable_Code_Point}--[\u200c\u200d]]/gv

/** Collapses white space, and removes invisible characters. Keeps non-breaking spaces. */
const printed = (text: string): string =>
  text
    .replace(unseen, "")
    .replace(/[^\S\u00a0]+/g, " ")
    .trim()

const hasAll = ({ fonts }: Document, font: FontName, text: string): boolean => {
  const { has } = fonts(font)
  return [...text].every((character) => joiner.test(character) || has(character.codePointAt(0) ?? 0))
}

const codeOf = (character: string): string =>
  `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`

/** The font of a grapheme. A grapheme that no font has is written as its code points. */
const pieceOf = (document: Document, face: Face, grapheme: string): Piece => {
  for (const font of [face, "plain"] as const) if (hasAll(document, font, grapheme)) return { font, text: grapheme }
  const text = [...grapheme].filter((character) => !joiner.test(character))
  return hasAll(document, "fallback", grapheme)
    ? { font: "fallback", text: text.join("") }
    : { font: face, text: text.map(codeOf).join("") }
}

/** Splits a text into pieces of one font, in the order of the text. */
const byFont = (document: Document, face: Face, text: string): ReadonlyArray<Piece> => {
  if (hasAll(document, face, text)) return [{ font: face, text }]
  const pieces: Array<Piece> = []
  for (const grapheme of graphemesOf(text)) {
    const piece = pieceOf(document, face, grapheme)
    const last = pieces.at(-1)
    if (last?.font === piece.font) pieces[pieces.length - 1] = { ...last, text: last.text + piece.text }
    else pieces.push(piece)
  }
  return pieces
}

// The blocks of the scripts that are written from right to left.
const rightToLeft = String.raw`[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]`
const letter = String.raw`[${rightToLeft}&&[\p{L}\p{M}]]`
const between = String.raw`[^\p{L}\p{M}\p{N}]`

// Words that are written from right to left, and other single characters of those scripts. pdfkit draws a whole text
// from right to left if it begins with such a character, digits included.
const turned = new RegExp(`(${letter}(?:${between}*${letter})*|${rightToLeft})`, "v")

const mirror: Readonly<Record<string, string>> = Object.fromEntries(
  ["()", "[]", "{}", "<>", "«»", "‹›"].flatMap(([open = "", close = ""]) => [
    [open, close],
    [close, open]
  ])
)

/**
 * The pieces of a line from left to right. The line itself runs from left to right, and so do all digits. Only words of
 * scripts like Arabic run from right to left, so an identifier keeps its digits in their order.
 */
const piecesOf = (document: Document, face: Face, line: string): ReadonlyArray<Piece> =>
  line.split(turned).flatMap((part, index) => {
    if (part === "") return []
    if (index % 2 === 0) return byFont(document, face, part)
    const words = part.replace(/[()[\]{}<>«»‹›]/g, (bracket) => mirror[bracket] ?? bracket).split(/( +)/)
    return words.reverse().flatMap((word) => [...byFont(document, face, word)].reverse())
  })

const widthOf = (document: Document, pieces: ReadonlyArray<Piece>, size: number): number =>
  pieces.reduce((sum, { font, text }) => sum + document.select(font, size).widthOfString(text), 0)

/** A word with the spaces after it. Its width is relative to the font size, without these spaces. */
interface Word {
  readonly text: string
  readonly width: number
  readonly space: number
}

/** The widths of a text in plain or in bold. They are proportional to the font size, so one measurement serves all sizes. */
class MeasuredText {
  readonly words: ReadonlyArray<Word>
  private readonly known = new Map<string, number>()
  private readonly document: Document
  readonly face: Face

  constructor(document: Document, face: Face, text: string) {
    this.document = document
    this.face = face
    // A line may also end at a hyphen before a letter. Numbers with hyphens stay on one line.
    const words = printed(text).match(/.+?(?: +|-(?=\p{L})|$)/gu) ?? []
    this.words = words.map((word) => {
      const shown = word.trimEnd()
      return { text: word, width: this.width(shown), space: this.width(" ".repeat(word.length - shown.length)) }
    })
  }

  /** Width of a text on one line, relative to the font size. */
  width(text: string): number {
    const known = this.known.get(text)
    if (known !== undefined) return known
    const width = widthOf(this.document, piecesOf(this.document, this.face, text), 1)
    this.known.set(text, width)
    return width
  }

  /** Whether every word fits into a line of this width, relative to the font size. */
  isWholeIn(width: number): boolean {
    return this.words.every((word) => word.width <= width)
  }

  /** The text in lines of at most this width, relative to the font size. Only a word that is too wide is broken. */
  lines(width: number): ReadonlyArray<string> {
    const lines: Array<string> = []
    let line = ""
    let used = 0
    for (const word of this.words) {
      if (line !== "" && used + word.width > width) {
        lines.push(line.trimEnd())
        line = ""
        used = 0
      }
      if (word.width > width) {
        const broken = this.broken(word.text, width)
        lines.push(...broken.slice(0, -1))
        line = broken.at(-1) ?? ""
        used = this.width(line)
      } else {
        line += word.text
        used += word.width + word.space
      }
    }
    return line === "" ? lines : [...lines, line.trimEnd()]
  }

  /** At most `count` lines. If there are more, the last of these lines ends in an ellipsis and is cut to the width. */
  cut(lines: ReadonlyArray<string>, count: number, width: number): ReadonlyArray<string> {
    if (lines.length <= count) return lines
    const kept = lines.slice(0, count)
    const last = [...graphemesOf(kept.pop() ?? "")]
    while (last.length > 0 && this.width(`${last.join("")}…`) > width) last.pop()
    return [...kept, `${last.join("").trimEnd()}…`]
  }

  private broken(word: string, width: number): ReadonlyArray<string> {
    const lines: Array<string> = []
    const rest = [...graphemesOf(word)]
    while (rest.length > 0) {
      let [count, used] = [0, 0]
      while (count < rest.length && (count === 0 || used + this.width(rest[count] ?? "") <= width))
        used += this.width(rest[count++] ?? "")
      // Connected letters may be wider than the same letters one by one.
      while (count > 1 && this.width(rest.slice(0, count).join("")) > width) count--
      lines.push(rest.splice(0, count).join(""))
    }
    return lines
  }
}

interface Place extends Pick<Box, "x" | "y" | "width"> {
  readonly size: number
  readonly align: "left" | "center" | "right"
}

/** Height of a line, relative to the font size. */
const lineHeight = (document: Document, face: Face): number => document.select(face, 1).currentLineHeight(true)

const shares = { left: 0, center: 0.5, right: 1 }

/** Draws lines one below the other, and moves the document's position below them. */
const drawLines = (
  document: Document,
  face: Face,
  lines: ReadonlyArray<string>,
  { align, size, width, x, y }: Place
): void => {
  const height = size * lineHeight(document, face)
  const baseline = y + size * document.fonts(face).ascent
  for (const [index, line] of lines.entries()) {
    const pieces = piecesOf(document, face, line)
    let left = x + (width - widthOf(document, pieces, size)) * shares[align]
    for (const piece of pieces) {
      // The fonts differ in height, but their baselines must be the same.
      const options = { lineBreak: false, baseline: "alphabetic" } as const
      document.select(piece.font, size).text(piece.text, left, baseline + index * height, options)
      left += document.widthOfString(piece.text)
    }
  }
  document.y = y + lines.length * height
}

interface Style {
  readonly font: Face
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

/** Tolerance for rounding errors in heights. */
const slack = 0.001

const sizesDown = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: Math.floor((from - to) / size_step) + 1 }, (_, step) => from - step * size_step)

/**
 * Writes a text inside its box. Long texts wrap and shrink, without broken words if possible. A text that does not fit at
 * the smallest size ends in an ellipsis.
 */
export const writeIn = (
  document: Document,
  box: Box,
  text: string,
  { align = "left", font, least = 5, middle = false, size }: Style
): void => {
  const measured = new MeasuredText(document, font, text)
  const line = lineHeight(document, font)
  const fitting = (at: number) => Math.max(1, Math.floor(box.height / (at * line) + slack))
  const fits = (at: number) => measured.lines(box.width / at).length <= fitting(at)
  const sizes = sizesDown(size, Math.min(size, least))
  const chosen =
    sizes.find((at) => at >= whole_least * size && measured.isWholeIn(box.width / at) && fits(at)) ??
    sizes.find(fits) ??
    least
  const lines = measured.cut(measured.lines(box.width / chosen), fitting(chosen), box.width / chosen)
  const spare = middle ? Math.max(0, box.height - lines.length * chosen * line) / 2 : 0
  drawLines(document, font, lines, { ...box, y: box.y + spare, size: chosen, align })
}

/** Writes a text in as many lines as it needs, below the given position. */
export const write = (document: Document, font: Face, text: string, place: Place): void =>
  drawLines(document, font, new MeasuredText(document, font, text).lines(place.width / place.size), place)
