import { Schema } from "effect"

// The control characters C0, DEL and C1. Keyboards do not produce them, and they break logs, receipts and queries.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const control = /[\u0000-\u001f\u007f-\u009f]/

/** Whether the text may be stored and compared: no control characters and no lone surrogates. */
export const isStorable = (text: string): boolean => !control.test(text) && text.isWellFormed()

const joiner = String.raw`[\u200c\u200d\p{Variation_Selector}]`
const tag = String.raw`[\u{e0020}-\u{e007f}]`
const invisible = String.raw`[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`

// Emoji and some scripts need up to two joiners or variation selectors after a visible character, and up to eight tags
// after a black flag. Anywhere else, these characters count as hidden. The selector of a key cap such as 1️⃣ comes
// after an ASCII character.
const hidden = new RegExp(
  [
    `[${invisible}--[${joiner}${tag}]]`,
    String.raw`(?<![[^\0-\x7f]--${invisible}]${joiner}?)${joiner}(?!\u20e3)`,
    String.raw`(?<!\u{1f3f4}${tag}{0,7})${tag}`
  ].join("|"),
  "gv"
)

/**
 * The text without hidden characters. A hidden character prints nothing, but can reorder text or make two texts look
 * equal. Examples are direction controls, zero-width spaces, byte order marks and fillers.
 */
export const withoutHidden = (text: string): string => text.replace(hidden, "")

const ascii = /^[ -~]*$/

/** Whether the text may be stored and printed: storable, and without hidden characters. */
export const isClean = (text: string): boolean => ascii.test(text) || (isStorable(text) && text.search(hidden) === -1)

const surrogate = /[\ud800-\udfff]/

/** Length in code points. Without surrogates it equals the number of UTF-16 units. */
export const lengthOf = (text: string): number => (surrogate.test(text) ? [...text].length : text.length)

/** Text of `minimum` to `maximum` code points. The check messages are reason codes of VALIDATION_ERROR. */
export const TextBetween = (minimum: number, maximum: number, isAllowed = isClean) =>
  Schema.String.check(
    Schema.makeFilter(isAllowed, { message: "invalido" }, true),
    Schema.makeFilter((text: string) => lengthOf(text) >= minimum && lengthOf(text) <= maximum, { message: "longitud" })
  ).annotate({ minLength: minimum, maxLength: maximum })

const formatting = new RegExp(String.raw`[\p{Cf}${invisible}]`, "gv")

// Every dash, and the minus sign.
const dash = /[\p{Pd}\u2212]/gu

// White space, and other characters that print nothing: the Braille blank, the Khitan filler, a musical and two Egyptian
// blanks.
const blank = /[\s\u2800\u{16fe4}\u{1d159}\u{13441}\u{13442}]+/gu

/** Canonical spelling of a text: no invisible characters, NFKC, one kind of dash, single spaces. */
export const canonicalText = (text: string): string =>
  text.replace(formatting, "").normalize("NFKC").replace(dash, "-").replace(blank, " ").trim()

/** Whether the text shows nothing when it is printed. */
export const isBlank = (text: string): boolean => canonicalText(text) === ""

/**
 * The form in which typed texts are compared: canonical, without case. sql/0006_folded_text.sql has the same rule for
 * the database.
 */
export const foldedText = (text: string): string => canonicalText(text).toLowerCase().toUpperCase().normalize("NFKC")

/**
 * The text in lower case without accents, for searches in names. An accent that follows no other character stays.
 */
export const withoutAccents = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/(?<!^)\p{Mn}/gu, "")
    .toLowerCase()
