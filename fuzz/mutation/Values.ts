import fc from "fast-check"
import { literal } from "../document/Literal.ts"
import { oddLiteralOf } from "../document/OddLiteral.ts"
import type { Input, Operation } from "../document/Operations.ts"
import { type Filled, type Value, valueOf, without, withValue } from "../request/Filled.ts"

export type ValueChange = (filled: Filled) => Filled

const dropped = ({ name }: Input): fc.Arbitrary<ValueChange> => fc.constant((filled) => without(filled, name))

const odd = ({ name, schema }: Input): fc.Arbitrary<ValueChange> =>
  oddLiteralOf(schema).map((value) => (filled) => withValue(filled, name, value))

const added = (filled: Filled, value: Value): Filled => ({ ...filled, values: [...filled.values, value] })

/** The same name once more, with the same value or with another. */
const twice = ({ name, schema }: Input): fc.Arbitrary<ValueChange> =>
  fc.option(oddLiteralOf(schema)).map((other) => (filled) => {
    const value = other ?? valueOf(filled, name)
    return value === undefined ? filled : added(filled, [name, value])
  })

const strangers = [
  "__proto__",
  "constructor",
  "toString",
  "length",
  "",
  "empresaId",
  "SERVICE_ID",
  "id",
  "ñ\u0000\ud800"
]

const stranger = fc.tuple(fc.oneof(fc.constantFrom(...strangers), fc.string()), oddLiteralOf({})).map(
  ([name, value]): ValueChange =>
    (filled) =>
      added(filled, [name, value])
)

/** Another company's id, one's own by chance, or no id at all. */
const claimed = fc
  .oneof(fc.integer({ min: 1, max: 60 }).map(String), oddLiteralOf({ type: "integer" }), fc.constant(literal("1")))
  .map(
    (value): ValueChange =>
      (filled) =>
        added(filled, ["empresa_id", value])
  )

const shuffled = fc.constant<ValueChange>((filled) => ({ ...filled, values: filled.values.toReversed() }))

/** What may go wrong with the values that an operation is given. */
export const valueChangeOf = ({ inputs }: Operation): fc.Arbitrary<ValueChange> => {
  const anywhere = [
    { weight: 2, arbitrary: stranger },
    { weight: 2, arbitrary: claimed },
    { weight: 1, arbitrary: shuffled }
  ]
  if (inputs.length === 0) return fc.oneof(...anywhere)
  const toInput = fc.constantFrom(...inputs)
  return fc.oneof(
    { weight: 12, arbitrary: toInput.chain(odd) },
    { weight: 3, arbitrary: toInput.chain(dropped) },
    { weight: 2, arbitrary: toInput.chain(twice) },
    ...anywhere
  )
}
