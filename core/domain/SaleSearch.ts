import { Option, Schema } from "effect"
import { IdempotencyKey, TransactionId } from "./Ids.ts"
import { canonicalText } from "./Text.ts"

/**
 * Values by which a sale of any company is sought. A sale matches if at least one value belongs to it. The xid and the
 * key may also belong to a reversal of the sale.
 */
export interface Sought {
  readonly id?: TransactionId | undefined
  /** Spellings of one xid. */
  readonly xids?: ReadonlyArray<string> | undefined
  readonly key?: IdempotencyKey | undefined
  /** Spellings of one identifier. */
  readonly identifiers?: ReadonlyArray<string> | undefined
}

/** The meaning of a search text. `text`: every meaning that the text may have. */
export type SoughtBy = "text" | "xid" | "key" | "identifier" | "phone"

/** Area code and number of a Dominican phone, with or without the country code. */
const phoneForm = /^(?:\+?1)?(8[024]9)(\d{3})(\d{4})$/

// Characters that people write between the digits of a phone.
const separators = /[\s().-]/g

/**
 * The spellings in which companies send the same phone as identifier. Saldo stores the identifier as sent, so a search
 * by phone looks for each spelling. Empty if the text is not a Dominican phone.
 */
export const phoneSpellings = (text: string): ReadonlyArray<string> => {
  const [, area, exchange, line] = phoneForm.exec(text.replace(separators, "")) ?? []
  if (area === undefined) return []
  const local = `${area}${exchange}${line}`
  const parted = `${area}-${exchange}-${line}`
  return [
    ...[local, `1${local}`, `+1${local}`, parted, `1-${parted}`, `+1-${parted}`, `+1 ${parted}`],
    ...[`(${area}) ${exchange}-${line}`, `(${area})${exchange}-${line}`, `${area} ${exchange} ${line}`]
  ]
}

const idForm = /^[1-9]\d{0,15}$/

const idIn = (text: string): TransactionId | undefined =>
  idForm.test(text) && Number.isSafeInteger(Number(text)) ? TransactionId.make(Number(text)) : undefined

const keyIn = (text: string) => Option.getOrUndefined(Schema.decodeOption(IdempotencyKey)(text))

/** An xid that was derived from a key: its prefix, and 24 hexadecimal digits. */
const xidForm = /^([A-Za-z0-9]{1,15})-([0-9A-Fa-f]{24})$/

// A person may type an xid in another case. Other forms, such as the xid of an imported sale, are sought as typed.
const xidSpellings = (text: string): ReadonlyArray<string> => {
  const [, prefix, digits] = xidForm.exec(text) ?? []
  if (prefix === undefined || digits === undefined) return [text]
  const hex = digits.toLowerCase()
  return [...new Set([text, `${prefix}-${hex}`, `${prefix.toUpperCase()}-${hex}`])]
}

/** The spellings of an identifier: as typed, without separators, and as a phone. */
const identifierSpellings = (typed: string): ReadonlyArray<string> => {
  const text = canonicalText(typed)
  const spellings = [typed.trim(), text, text.replace(separators, ""), ...phoneSpellings(text)]
  return [...new Set(spellings)].filter((spelling) => spelling !== "")
}

const soughtAs: Readonly<Record<SoughtBy, (typed: string) => Sought>> = {
  text: (typed) => ({
    id: idIn(typed),
    xids: xidSpellings(typed),
    key: keyIn(typed),
    identifiers: identifierSpellings(typed)
  }),
  xid: (typed) => ({ xids: xidSpellings(typed) }),
  key: (typed) => ({ key: keyIn(typed) }),
  identifier: (typed) => ({ identifiers: identifierSpellings(typed) }),
  phone: (typed) => ({ identifiers: phoneSpellings(canonicalText(typed)) })
}

/**
 * The values that a search text may stand for. Ids, xids, keys and identifiers overlap: `8095551234` may be a
 * phone, a contract, a key and the id of a sale. Such a text is searched as each of these values. Each search
 * uses an index.
 *
 * @returns None if no sale can have such a value.
 */
export const readSought = (by: SoughtBy, text: string): Option.Option<Sought> => {
  const typed = text.trim()
  const { id, identifiers = [], key, xids = [] } = soughtAs[by](typed)
  const isNothing = id === undefined && key === undefined && identifiers.length + xids.length === 0
  return typed === "" || isNothing ? Option.none() : Option.some({ id, identifiers, key, xids })
}
