import { Schema } from "effect"

// C0, DEL and C1: nothing that a person types, and much that breaks a log, a receipt or a query.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const control = /[\u0000-\u001f\u007f-\u009f]/

/** Text that may be stored and printed: no control characters, no half of a surrogate pair. */
export const isClean = (text: string): boolean => !control.test(text) && text.isWellFormed()

const surrogate = /[\ud800-\udfff]/

/** Length as a person counts it: code points, not UTF-16 units, which are the same where no character takes two. */
export const lengthOf = (text: string): number => (surrogate.test(text) ? [...text].length : text.length)

/**
 * Clean text of `minimum` to `maximum` code points. The messages are the reason codes of VALIDATION_ERROR.
 */
export const TextBetween = (minimum: number, maximum: number) =>
  Schema.String.check(
    Schema.makeFilter(isClean, { message: "invalido" }, true),
    Schema.makeFilter((text: string) => lengthOf(text) >= minimum && lengthOf(text) <= maximum, { message: "longitud" })
  ).annotate({ minLength: minimum, maxLength: maximum })

// A space that has no width, a mark of direction, a soft hyphen, a filler, a choice of font: nobody sees them, and nobody
// means them. Not all that is drawn as nothing is a format character to Unicode.
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** One spelling of what people read as the same: no unseen characters, one form of each letter, single spaces. */
export const asRead = (text: string): string => text.replace(unseen, "").normalize("NFKC").trim().replace(/\s+/gu, " ")

/**
 * Parts as one text. To V8 a text that `+` or a template put together stays in pieces until somebody looks into it, and
 * JSON.stringify takes about twice as long over all that it is given if such a text is in it.
 */
export const inOnePiece = (...parts: ReadonlyArray<string>): string => parts.join("")
