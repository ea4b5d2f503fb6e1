import { Data, Result, Schema } from "effect"

/** A balance, a limit or a total: whole centavos of DOP, never negative. Contract: 1. */
export const Centavos = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).pipe(Schema.brand("Centavos"))
export type Centavos = typeof Centavos.Type

/** What an operation moves: whole centavos of DOP, above zero. Contract: 1 and 8. */
export const Amount = Schema.Int.check(Schema.isGreaterThan(0)).pipe(Schema.brand("Amount"))
export type Amount = typeof Amount.Type

export const zero = Centavos.make(0)

/**
 * The most that a company can own, 70 trillion pesos: beyond 2^46 two neighbouring amounts would be one number of JSON.
 */
export const owned_max = Centavos.make(2 ** 46 * 100 - 1)

/** Pesos as the wire shows them, exact to the centavo up to `owned_max`. */
export const toPesos = (centavos: number): number => centavos / 100

/**
 * An amount as somebody wrote it. The text decides, not the number that a parser made of it: 10.0000000000000001
 * is three decimals or more, though a double would read 10.
 */
export type AmountLiteral = Data.TaggedEnum<{
  NumberLiteral: { readonly text: string }
  TextLiteral: { readonly text: string }
}>
export const AmountLiteral = Data.taggedEnum<AmountLiteral>()

export type AmountFault = "invalido" | "max_2_decimales" | "fuera_de_rango"

const jsonNumber = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<decimals>\d+))?(?:[eE](?<exponent>[+-]?\d+))?$/
const plainDigits = /^(?<whole>\d+)(?:\.(?<decimals>\d+))?$/

/** The longest run of digits that is still a safe integer of centavos. */
const digits_max = 15

/** The largest amount that can be read. */
export const amount_max = Amount.make(10 ** digits_max - 1)

/** Reads an amount off its literal text: at most two decimals written, above zero, never rounded. */
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

const nothing = /^0+(?:\.0{1,2})?$/

/** Reads a bound or a limit off its literal text: an amount, or nothing at all, which means that there is none. */
export const readLimit = (literal: AmountLiteral): Result.Result<Centavos, AmountFault> =>
  nothing.test(literal.text) ? Result.succeed(zero) : Result.map(readAmount(literal), Centavos.make)
