import type { Literal } from "../document/Literal.ts"
import type { Input, Operation } from "../document/Operations.ts"

export type Value = readonly [name: string, literal: Literal]

/** An operation and what it is given, before that has become a request. A name may be there twice, or be nobody's. */
export interface Filled {
  readonly operation: Operation
  readonly values: ReadonlyArray<Value>
}

const hasBody = ({ inputs }: Operation): boolean => inputs.some(({ place }) => place === "body")

/** Where a value belongs. One that nobody reads goes where the others are. */
export const placeOf = (operation: Operation, name: string): Input["place"] =>
  operation.inputs.find((input) => input.name === name)?.place ?? (hasBody(operation) ? "body" : "query")

export const valueOf = ({ values }: Filled, name: string): Literal | undefined =>
  values.find(([known]) => known === name)?.[1]

export const without = (filled: Filled, name: string): Filled => ({
  ...filled,
  values: filled.values.filter(([known]) => known !== name)
})

/** With this value in the place of any other of that name. */
export const withValue = (filled: Filled, name: string, value: Literal): Filled => ({
  ...filled,
  values: [...without(filled, name).values, [name, value]]
})
