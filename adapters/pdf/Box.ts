import type { Document } from "./Document.ts"

/** A rectangle on a page. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface Style {
  readonly font: "plain" | "bold"
  /** The font size where there is room. The text shrinks, but never below `least`. */
  readonly size: number
  readonly least?: number
  readonly align?: "left" | "center" | "right"
  /** Centres the text vertically. Otherwise it starts at the top. */
  readonly middle?: boolean
}

const size_step = 0.5

/** A text shrinks to this part of its size before a word is broken. */
const whole_least = 0.6

const sizesDown = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: Math.floor((from - to) / size_step) + 1 }, (_, step) => from - step * size_step)

/** The largest font size at which the text fits, without breaking words if possible. `least` if no size fits. */
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
