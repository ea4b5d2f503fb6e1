import fc from "fast-check"
import { keyHeader } from "../../facade/rest/KeyHeader.ts"
import { type Literal, literal, literalOf } from "../document/Literal.ts"
import type { Input } from "../document/Operations.ts"

// Neither near zero nor near each other, as fast-check would like them: then they would be the same again and again.
const digits = (length: number): fc.Arbitrary<string> =>
  fc.noBias(fc.integer({ min: 0, max: 10 ** length - 1 })).map((number) => String(number).padStart(length, "0"))

/** Whom the simulator serves, refuses or leaves pending: the last characters tell. Contract: 7, Simulator scenarios. */
const identifiers = fc
  .tuple(digits(7), fc.constantFrom("3", "5", "7", "9", "00", "01", "02", "12", "22", "93", "94"))
  .map(([first, ending]) => literal(`8${first}${ending}`))

const plates = fc
  .tuple(fc.constantFrom(..."AGKLZak"), digits(4), fc.integer({ min: 0, max: 99 }))
  .map(([letter, number, ending]) => literal(`${letter}${number}${String(ending).padStart(2, "0")}`))

const amounts = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 10_000, max: 40_000 }).map((centavos) => String(centavos / 100)) },
  { weight: 2, arbitrary: fc.constantFrom("100", '"100.50"', "1e2", "100.10", "1.5e2", '"250"') },
  {
    weight: 2,
    arbitrary: fc.constantFrom("19.99", "20", "50", "99.99", "5000", "5000.01", "10000", "20000.01", "0.01")
  }
)

/** Values that lead somewhere, by the name of the input: what its schema does not say. */
const known: Readonly<Record<string, fc.Arbitrary<Literal>>> = {
  [keyHeader]: fc.noShrink(fc.noBias(fc.uuid({ version: 4 }))).map(literal),
  amount: amounts,
  categoria: fc.constantFrom("Electricidad", "Seguros", "electricidad").map(literal),
  identifier: identifiers,
  placa: plates,
  q: fc.constantFrom("recarga", "SEGURO", "ó", "%", "_").map(literal),
  service_id: fc.integer({ min: 1, max: 9 }).map(String)
}

/** Values for an input: mostly such as lead somewhere. */
export const valuesFor = ({ name, schema }: Input): fc.Arbitrary<Literal> => {
  const leading = known[name]
  return leading === undefined
    ? literalOf(schema)
    : fc.oneof({ weight: 9, arbitrary: leading }, { weight: 1, arbitrary: literalOf(schema) })
}
