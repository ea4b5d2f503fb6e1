import type { Schema } from "effect"

/** What a procedure answers. The compiler holds the answer to the schema, so nothing is checked again at run time. */
export interface Output<A> {
  readonly _input: A
  readonly _output: A
  readonly schema: Schema.Constraint
  readonly parse: (answer: A) => A
}

export const output = <S extends Schema.Constraint>(schema: S) =>
  ({ schema, parse: (answer: S["Type"]) => answer }) as unknown as Output<S["Type"]>
