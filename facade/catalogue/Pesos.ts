import { Result, Schema, SchemaGetter } from "effect"
import { Amount, AmountLiteral, amount_max, Centavos, readAmount, readLimit, toPesos } from "../../core/domain/Money.ts"

/** What an amount looks like, in words. */
export const pesosForm = `pesos from 0.01 to ${toPesos(amount_max)} with at most two decimals`

/** Pesos as a JSON number, read as centavos. */
const pesos = <A extends number>(
  to: Schema.Codec<A, number>,
  read: (literal: AmountLiteral) => Result.Result<A, unknown>,
  message: string
) => {
  const centavosOf = (value: number) => read(AmountLiteral.NumberLiteral({ text: String(value) }))
  return Schema.Finite.check(
    Schema.makeFilter((value: number) => Result.isSuccess(centavosOf(value)), { message })
  ).pipe(
    Schema.decodeTo(Schema.toType(to), {
      decode: SchemaGetter.transform((value: number) => Result.getOrThrow(centavosOf(value))),
      encode: SchemaGetter.transform((centavos: A) => toPesos(centavos))
    })
  )
}

/** A lowest or highest amount. */
export const Bound = pesos(Centavos, readLimit, `Expected ${pesosForm}; 0 means no bound`)
/** What something costs. */
export const Price = pesos(Amount, readAmount, `Expected ${pesosForm}`)
