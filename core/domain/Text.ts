import { Schema } from "effect"

// C0, DEL and C1: nothing that a person types, and much that breaks a log, a receipt or a query.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const control = /[\u0000-\u001f\u007f-\u009f]/

/** Whether the text may be stored and printed: no control characters and no lone surrogates. */
export const isClean = (text: string): boolean => !control.test(text) && text.isWellFormed()

const surrogate = /[\ud800-\udfff]/

/** Length in code points. Without surrogates it equals the number of UTF-16 units. */
export const lengthOf = (text: string): number => (surrogate.test(text) ? [...text].length : text.length)

/** Clean text of `minimum` to `maximum` code points. The check messages are reason codes of VALIDATION_ERROR. */
export const TextBetween = (minimum: number, maximum: number) =>
  Schema.String.check(
    Schema.makeFilter(isClean, { message: "invalido" }, true),
    Schema.makeFilter((text: string) => lengthOf(text) >= minimum && lengthOf(text) <= maximum, { message: "longitud" })
  ).annotate({ minLength: minimum, maxLength: maximum })

// Invisible characters: zero-width spaces, direction marks, soft hyphens, fillers and variation selectors. The second
// class is needed because some invisible characters are not format characters in Unicode.
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Canonical spelling of a text: no invisible characters, NFKC, single spaces. */
export const canonicalText = (text: string): string =>
  text.replace(invisible, "").normalize("NFKC").trim().replace(/\s+/gu, " ")
