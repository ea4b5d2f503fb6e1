import { Predicate, Result, Schema, SchemaIssue } from "effect"
import { Invalid, NotFound } from "../../core/domain/Errors.ts"
import { idempotencyKey, nowhere } from "./Fields.ts"
import { malformedBody } from "./Json.ts"

/** What a procedure takes. tRPC reads the two types off it and calls `parse`; the OpenAPI document reads the schema. */
export interface Input<A, I> {
  readonly _input: I
  readonly _output: A
  readonly schema: Schema.Struct<Schema.Struct.Fields>
  /** Does its operation have a key of its own? A key that is only looked for is a field like any other. */
  readonly takesKey: boolean
  /** Fails with Invalid, which names every field at fault, or NotFound. */
  readonly read: (raw: unknown) => Result.Result<A, Invalid | NotFound>
  /** The same for tRPC, which wants failures thrown. */
  readonly parse: (raw: unknown) => A
}

/** What a caller gives: nothing, where there is no field; or nothing as well, where none has to be there. */
type Given<I> = keyof I extends never ? Record<string, never> | undefined : {} extends I ? I | undefined : I

/** The field of an operation's own key. */
export const keyField = "idempotency_key"

const reasonCode = /^[a-z0-9_]+$/

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "MissingKey" ? "requerido" : SchemaIssue.defaultLeafHook(issue))
})

const fault = (issue: SchemaIssue.Issue, takesKey: boolean): Invalid | NotFound => {
  const details: Record<string, string> = {}
  for (const { message, path } of issuesOf(issue).issues) {
    if (message === nowhere) return new NotFound()
    details[String(path?.[0])] ??= reasonCode.test(message) ? message : "invalido"
  }
  const { [keyField]: _, ...others } = details
  // The body's faults come before the key's. Contract: 4.5.
  return new Invalid({ details: takesKey && Object.keys(others).length > 0 ? others : details })
}

/**
 * Reads the fields of a struct from what a client sent: unknown fields are ignored, and null is as good as absent.
 */
export const input = <const Fields extends Schema.Struct.Fields>(
  fields: Fields
): Input<Schema.Struct<Fields>["Type"], Given<Schema.Struct<Fields>["Encoded"]>> => {
  const schema = Schema.Struct(fields)
  const names = Object.keys(fields)
  const takesKey = fields[keyField] === idempotencyKey
  const decode = Schema.decodeUnknownResult(schema as unknown as Schema.Codec<unknown>, { errors: "all" })
  const read = (raw: unknown): Result.Result<unknown, Invalid | NotFound> => {
    if (!Predicate.isObject(raw)) return Result.fail(malformedBody)
    const given: Record<string, unknown> = {}
    for (const name of names) {
      const value = Object.hasOwn(raw, name) ? raw[name] : undefined
      if (value !== undefined && value !== null) given[name] = value
    }
    return Result.mapError(decode(given), ({ issue }) => fault(issue, takesKey))
  }
  const parse = (raw: unknown) => Result.getOrThrow(read(raw))
  return { schema, takesKey, read, parse } as unknown as ReturnType<typeof input<Fields>>
}
