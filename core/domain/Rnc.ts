import { Option, Schema } from "effect"

/**
 * Number of a taxpayer (Registro Nacional del Contribuyente). The number of a business has nine digits; the last is a
 * check digit. The number of a person is the identity card number, with eleven digits.
 */
export const Rnc = Schema.String.check(Schema.isPattern(/^(?:\d{9}|\d{11})$/)).pipe(Schema.brand("Rnc"))
export type Rnc = typeof Rnc.Type

const weights = [7, 9, 8, 6, 5, 4, 3, 2]

/** The check digit of the first eight digits, from 1 to 9. */
const checkDigit = (digits: string): number => {
  const sum = weights.reduce((total, weight, index) => total + weight * Number(digits[index]), 0)
  return ((10 - (sum % 11)) % 9) + 1
}

const isMistyped = (digits: string): boolean => digits.length === 9 && checkDigit(digits) !== Number(digits[8])

/**
 * Reads a typed number. Hyphens and spaces are ignored. None if the text has other characters or a wrong check digit.
 */
export const readRnc = (typed: string): Option.Option<Rnc> =>
  Option.filter(Schema.decodeOption(Rnc)(typed.replace(/[\s-]/g, "")), (rnc) => !isMistyped(rnc))
