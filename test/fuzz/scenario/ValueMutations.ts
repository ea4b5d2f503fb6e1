import fc from "fast-check"
import type { JsonSchema } from "../../../facade/api/JsonSchema.ts"
import { invalidValuesFor, trickyTexts } from "../../support/HostileInput.ts"
import { cleanText, type JsonLiteral, jsonLiteral } from "../request/Literal.ts"
import { type InputValue, inputValueOf, type OperationCall, withInput, withoutInput } from "../request/OperationCall.ts"
import type { Operation, OperationInput } from "../request/Operations.ts"

const nested = (open: string, close: string) =>
  fc.integer({ min: 1, max: 60 }).map((depth) => `${open.repeat(depth)}1${close.repeat(depth)}`)

/** Unusual notations of numbers that JSON allows. */
const strangeNumbers: ReadonlyArray<JsonLiteral> = [
  "-0",
  "0.0",
  "1.0",
  "10e-1",
  "1E2",
  "1e+2",
  "100.10",
  "100.100",
  "10.0000000000000001",
  "99.999999999999999999999",
  "1e309",
  "1e-400",
  "9007199254740993",
  "123456789012345678901234567890",
  `1${"0".repeat(400)}`,
  `0.${"0".repeat(400)}1`
]

const anyValue = fc.json({ maxDepth: 3 })

/** Text of arbitrary UTF-16 code units, including control characters and halves of surrogate pairs. */
const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
  .map((units) => `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`)

/** Texts with the minimum and maximum length of a schema, and with one character less and more. */
const atBounds = ({ maxLength, minLength }: JsonSchema): fc.Arbitrary<JsonLiteral> => {
  const lengths = [minLength, maxLength].flatMap((bound) =>
    typeof bound === "number" ? [bound - 1, bound, bound + 1].filter((length) => length >= 0) : []
  )
  return fc
    .tuple(fc.constantFrom(...(lengths.length > 0 ? lengths : [0, 1, 1_000, 60_000])), fc.constantFrom("7", "ñ", "😀"))
    .map(([length, unit]) => jsonLiteral(unit.repeat(length)))
}

/** Values that a schema rejects, and values at the limits of what it accepts. */
const invalidLiteralOf = (schema: JsonSchema): fc.Arbitrary<JsonLiteral> =>
  fc.oneof(
    fc.constant("null"),
    fc.constantFrom(...invalidValuesFor(schema)),
    fc.constantFrom(...strangeNumbers),
    fc.constantFrom(...trickyTexts.map(jsonLiteral)),
    atBounds(schema),
    anyUnits,
    cleanText(0, 20).map(jsonLiteral),
    anyValue,
    nested("[", "]"),
    nested('{"a":', "}")
  )

export type ValueChange = (filled: OperationCall) => OperationCall

const dropped = ({ name }: OperationInput): fc.Arbitrary<ValueChange> =>
  fc.constant((filled) => withoutInput(filled, name))

const odd = ({ name, schema }: OperationInput): fc.Arbitrary<ValueChange> =>
  invalidLiteralOf(schema).map((value) => (filled) => withInput(filled, name, value))

const added = (filled: OperationCall, value: InputValue): OperationCall => ({
  ...filled,
  values: [...filled.values, value]
})

/** Repeats an input, with the same value or a different value. */
const repeatedInput = ({ name, schema }: OperationInput): fc.Arbitrary<ValueChange> =>
  fc.option(invalidLiteralOf(schema)).map((other) => (filled) => {
    const value = other ?? inputValueOf(filled, name)
    return value === undefined ? filled : added(filled, [name, value])
  })

const unknownNames = [
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

const unknownInput = fc.tuple(fc.oneof(fc.constantFrom(...unknownNames), fc.string()), invalidLiteralOf({})).map(
  ([name, value]): ValueChange =>
    (filled) =>
      added(filled, [name, value])
)

/** The id of any company, which may be the caller's own company, or a text that is not an id. */
const otherCompany = fc
  .oneof(
    fc.integer({ min: 1, max: 60 }).map(String),
    invalidLiteralOf({ type: "integer" }),
    fc.constant(jsonLiteral("1"))
  )
  .map(
    (value): ValueChange =>
      (filled) =>
        added(filled, ["empresa_id", value])
  )

const shuffled = fc.constant<ValueChange>((filled) => ({ ...filled, values: filled.values.toReversed() }))

/** Changes that make the input values of an operation invalid. */
export const valueChangeOf = ({ inputs }: Operation): fc.Arbitrary<ValueChange> => {
  const anywhere = [
    { weight: 2, arbitrary: unknownInput },
    { weight: 2, arbitrary: otherCompany },
    { weight: 1, arbitrary: shuffled }
  ]
  if (inputs.length === 0) return fc.oneof(...anywhere)
  const toInput = fc.constantFrom(...inputs)
  return fc.oneof(
    { weight: 12, arbitrary: toInput.chain(odd) },
    { weight: 3, arbitrary: toInput.chain(dropped) },
    { weight: 2, arbitrary: toInput.chain(repeatedInput) },
    ...anywhere
  )
}
