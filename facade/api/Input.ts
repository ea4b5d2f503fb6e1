import { Predicate, Result, Schema, SchemaIssue } from "effect"
import { type CoreError, Invalid, NotFound } from "../../core/domain/Errors.ts"
import { idempotencyKey, notFound } from "./Fields.ts"
import { malformedBody } from "./Json.ts"

/** The reader of a procedure's input. */
export interface Input<A, I> {
  /** The type that a client sends. It is used only at compile time. */
  readonly Encoded: I
  readonly schema: Schema.Struct<Schema.Struct.Fields>
  /** Whether the operation takes an Idempotency-Key. False for a search by key, where the key is an ordinary field. */
  readonly takesKey: boolean
  /** Reads the input. Fails with Invalid, which names every invalid field, or with NotFound. */
  readonly read: (raw: unknown) => Result.Result<A, Invalid | NotFound>
}

/**
 * The argument that a client passes: no argument if there are no fields, and an optional argument if all fields are
 * optional.
 */
type Sent<I> = keyof I extends never ? Record<string, never> | undefined : {} extends I ? I | undefined : I

/** The tRPC field with the Idempotency-Key of an operation. */
export const keyField = "idempotency_key"

/** The REST header with the Idempotency-Key of an operation. */
export const keyHeader = "Idempotency-Key"

/** Names the idempotency key in a validation error by its REST header instead of its tRPC field, for REST clients. */
export const namedByHeader = <E extends CoreError>(error: E): E | Invalid => {
  const reason = error._tag === "Invalid" ? error.details[keyField] : undefined
  return reason === undefined ? error : new Invalid({ details: { [keyHeader]: reason } })
}

const reasonCode = /^[a-z0-9_]+$/

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "MissingKey" ? "requerido" : SchemaIssue.defaultLeafHook(issue))
})

const faultOf = (issue: SchemaIssue.Issue, takesKey: boolean): Invalid | NotFound => {
  const details: Record<string, string> = {}
  for (const { message, path } of issuesOf(issue).issues) {
    if (message === notFound) return new NotFound()
    details[String(path?.[0])] ??= reasonCode.test(message) ? message : "invalido"
  }
  const { [keyField]: _, ...others } = details
  // If both the body and the key are invalid, only the errors of the body are reported. Contract: 4.5.
  return new Invalid({ details: takesKey && Object.keys(others).length > 0 ? others : details })
}

/** Makes a reader of these fields. The reader ignores unknown fields and treats null as absent. */
export const input = <const Fields extends Schema.Struct.Fields>(
  fields: Fields
): Input<Schema.Struct<Fields>["Type"], Sent<Schema.Struct<Fields>["Encoded"]>> => {
  const schema = Schema.Struct(fields)
  const names = Object.keys(fields)
  const takesKey = fields[keyField] === idempotencyKey
  const decode = Schema.decodeUnknownResult(schema as unknown as Schema.Codec<unknown>, { errors: "all" })
  const read = (raw: unknown): Result.Result<unknown, Invalid | NotFound> => {
    if (!Predicate.isObject(raw)) return Result.fail(malformedBody)
    const sent: Record<string, unknown> = {}
    for (const name of names) {
      const value = Object.hasOwn(raw, name) ? raw[name] : undefined
      if (value !== undefined && value !== null) sent[name] = value
    }
    return Result.mapError(decode(sent), ({ issue }) => faultOf(issue, takesKey))
  }
  return { schema, takesKey, read } as unknown as ReturnType<typeof input<Fields>>
}
