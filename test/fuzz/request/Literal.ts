import fc from "fast-check"
import { isClean } from "../../../core/domain/Text.ts"
import type { JsonSchema } from "../../../facade/api/JsonSchema.ts"

/** A value as JSON text. Unlike a JavaScript value, it can hold 1e309 or the digits of 1.10. */
export type JsonLiteral = string

export const jsonLiteral = (value: unknown): JsonLiteral => JSON.stringify(value)

/** The text of a value in a path, a query or a header. */
export const plainText = (value: JsonLiteral): string => {
  try {
    const read: unknown = JSON.parse(value)
    return typeof read === "string" ? read : value
  } catch {
    return value
  }
}

/** A printable code point: not a control character and not half of a surrogate pair. */
const printable = fc
  .oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0x20, max: 0x7e }) },
    { weight: 2, arbitrary: fc.integer({ min: 0xa0, max: 0xd7ff }) },
    { weight: 1, arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }) }
  )
  .map((point) => String.fromCodePoint(point))

/** Printable text without hidden characters, whose length in code points is within these bounds. */
export const cleanText = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: printable, minLength, maxLength }).filter(isClean)

const days = fc.oneof(
  fc
    .date({ min: new Date("1900-01-01"), max: new Date("2100-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  fc.constantFrom("2026-03-11", "2026-03-12", "0001-01-01", "9999-12-31", "2024-02-29")
)

/** Instants with and without a fraction of a second, in local time or in UTC. */
const instants = fc
  .date({ min: new Date("2000-01-01"), max: new Date("2100-12-31"), noInvalidDate: true })
  .chain((date) => fc.constantFrom(date.toISOString(), `${date.toISOString().slice(0, 19)}-04:00`))

const centavos = fc.integer({ min: 1, max: 10_000_000 })

/** Amounts above zero in the notations of a JSON number: 100, 100.5, 1e2. */
const pesos = fc.oneof(
  centavos.map((amount) => String(amount / 100)),
  centavos.map((amount) => (amount / 100).toFixed(2)),
  centavos.map((amount) => `${amount}e-2`)
)

interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
}

const texts = ({ format, maxLength = 40, minLength = 0, pattern }: Bounds): fc.Arbitrary<string> => {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  if (format === "date-time") return instants
  return format === "date" ? days : cleanText(minLength, maxLength)
}

const ofType = (schema: JsonSchema): fc.Arbitrary<JsonLiteral> => {
  const bounds: Bounds = schema
  switch (schema["type"]) {
    case "integer":
      return fc
        .integer({ min: bounds.minimum ?? Number.MIN_SAFE_INTEGER, max: bounds.maximum ?? Number.MAX_SAFE_INTEGER })
        .map(String)
    case "number":
      return pesos
    case "boolean":
      return fc.boolean().map(String)
    case "string":
      return texts(bounds).map(jsonLiteral)
    case "array":
      return fc.array(validLiteralOf(Object(schema["items"])), { maxLength: 4 }).map((items) => `[${items.join(",")}]`)
    default:
      throw new Error(`cannot generate values for the schema ${JSON.stringify(schema)}`)
  }
}

const listed = (schema: JsonSchema, name: string): ReadonlyArray<unknown> | undefined => {
  const list = schema[name]
  return Array.isArray(list) && list.length > 0 ? list : undefined
}

/** Values that a documented schema allows, often its examples. */
export const validLiteralOf = (schema: JsonSchema): fc.Arbitrary<JsonLiteral> => {
  const members = listed(schema, "enum")
  if (members !== undefined) return fc.constantFrom(...members.map(jsonLiteral))
  const branches = listed(schema, "anyOf") as ReadonlyArray<JsonSchema> | undefined
  const any = branches === undefined ? ofType(schema) : fc.oneof(...branches.map(validLiteralOf))
  const examples = listed(schema, "examples")
  return examples === undefined ? any : fc.oneof(fc.constantFrom(...examples.map(jsonLiteral)), any)
}
