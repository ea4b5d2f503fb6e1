import fc from "fast-check"
import type { JsonSchema } from "../../facade/wire/Document.ts"
import { refusedBy, tricky } from "../../tools/api/Hostile.ts"
import { cleanText, type Literal, literal } from "./Literal.ts"

const nested = (open: string, close: string) =>
  fc.integer({ min: 1, max: 60 }).map((depth) => `${open.repeat(depth)}1${close.repeat(depth)}`)

/** Numbers as nobody would write them, though JSON allows it. */
const strangeNumbers: ReadonlyArray<Literal> = [
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

/** Text with half of a surrogate pair, a control character or whatever else 16 bits can say. */
const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
  .map((units) => `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`)

/** Texts of exactly, and of one more or less than, the lengths that a schema allows. */
const atBounds = ({ maxLength, minLength }: JsonSchema): fc.Arbitrary<Literal> => {
  const lengths = [minLength, maxLength].flatMap((bound) =>
    typeof bound === "number" ? [bound - 1, bound, bound + 1].filter((length) => length >= 0) : []
  )
  return fc
    .tuple(fc.constantFrom(...(lengths.length > 0 ? lengths : [0, 1, 1_000, 60_000])), fc.constantFrom("7", "ñ", "😀"))
    .map(([length, unit]) => literal(unit.repeat(length)))
}

/** Values that a field of this schema refuses, and others at the edge of what it takes. */
export const oddLiteralOf = (schema: JsonSchema): fc.Arbitrary<Literal> =>
  fc.oneof(
    fc.constant("null"),
    fc.constantFrom(...refusedBy(schema)),
    fc.constantFrom(...strangeNumbers),
    fc.constantFrom(...tricky.map(literal)),
    atBounds(schema),
    anyUnits,
    cleanText(0, 20).map(literal),
    anyValue,
    nested("[", "]"),
    nested('{"a":', "}")
  )
