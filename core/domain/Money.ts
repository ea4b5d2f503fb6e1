import { Data, Result, Schema } from "effect"

/** A balance, limit or total in whole centavos of DOP, never negative. Contract: 1. */
export const Centavos = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).pipe(Schema.brand("Centavos"))
export type Centavos = typeof Centavos.Type

/** The amount of an operation in whole centavos of DOP, above zero. Contract: 1 and 8. */
export const Amount = Schema.Int.check(Schema.isGreaterThan(0)).pipe(Schema.brand("Amount"))
export type Amount = typeof Amount.Type

export const zero = Centavos.make(0)

/**
 * The largest balance of a company: 70 trillion pesos. Above 2^46 pesos a JSON number cannot represent every centavo.
 */
export const owned_max = Centavos.make(2 ** 46 * 100 - 1)

/** Converts centavos to pesos, as the API sends them. Exact up to `owned_max`. */
export const toPesos = (centavos: number): number => centavos / 100

/**
 * An amount as the caller wrote it. Validation uses the text, not the parsed number: 10.0000000000000001 has too many
 * decimals, although a double reads it as 10.
 */
export type AmountLiteral = Data.TaggedEnum<{
  NumberLiteral: { readonly text: string }
  TextLiteral: { readonly text: string }
}>
export const AmountLiteral = Data.taggedEnum<AmountLiteral>()

export type AmountFault = "invalido" | "max_2_decimales" | "fuera_de_rango"

const jsonNumber = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<decimals>\d+))?(?:[eE](?<exponent>[+-]?\d+))?$/
const plainDigits = /^(?<whole>\d+)(?:\.(?<decimals>\d+))?$/

/** Maximum number of digits of an amount in centavos. With 15 digits, an amount is always a safe integer. */
const digits_max = 15

/** The largest amount that is accepted. */
export const amount_max = Amount.make(10 ** digits_max - 1)

/** Parses an amount: at most two decimals written, above zero, never rounded. */
export const readAmount = (literal: AmountLiteral): Result.Result<Amount, AmountFault> => {
  const groups = (literal._tag === "NumberLiteral" ? jsonNumber : plainDigits).exec(literal.text)?.groups
  if (groups === undefined) return Result.fail("invalido")
  const decimals = groups["decimals"] ?? ""
  const written = decimals.length - Number(groups["exponent"] ?? 0)
  if (written > 2) return Result.fail("max_2_decimales")
  const digits = `${groups["whole"]}${decimals}`.replace(/^0+/, "")
  const zeros = 2 - written
  if (groups["sign"] === "-" || digits === "" || digits.length + zeros > digits_max)
    return Result.fail("fuera_de_rango")
  return Result.succeed(Amount.make(Number(digits + "0".repeat(zeros))))
}

/** Parses the amount of an adjustment, in centavos: an amount, or a minus sign and an amount. */
export const readAdjustment = (text: string): Result.Result<number, AmountFault> => {
  const digits = text.replace(/^[-\u2212]/, "")
  const sign = digits === text ? 1 : -1
  return Result.map(readAmount(AmountLiteral.TextLiteral({ text: digits })), (amount) => sign * amount)
}

const zeroAmount = /^0+(?:\.0{1,2})?$/

/** Parses a limit: an amount, or zero, which means no limit. */
export const readLimit = (literal: AmountLiteral): Result.Result<Centavos, AmountFault> =>
  zeroAmount.test(literal.text) ? Result.succeed(zero) : Result.map(readAmount(literal), Centavos.make)
