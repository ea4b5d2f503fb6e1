import { Predicate, Result, Schema, SchemaIssue } from "effect"
import { type CoreError, Invalid, NotFound } from "../../core/domain/Errors.ts"
import { idempotencyKey, notFound } from "./Fields.ts"
import { malformedBody } from "./Json.ts"

/** The reader of a procedure's input. */
export interface Input<A, I> {
  /** The type that a client sends. Exists only for the compiler. */
  readonly Encoded: I
  readonly schema: Schema.Struct<Schema.Struct.Fields>
  /** Whether the operation has an Idempotency-Key. A key that a search looks for is a field like any other. */
  readonly takesKey: boolean
  /** Fails with Invalid, which names every field at fault, or with NotFound. */
  readonly read: (raw: unknown) => Result.Result<A, Invalid | NotFound>
}

/** What a client passes: nothing where there is no field, and optionally nothing where every field is optional. */
type Sent<I> = keyof I extends never ? Record<string, never> | undefined : {} extends I ? I | undefined : I

/** The field that carries the Idempotency-Key of an operation in tRPC. */
export const keyField = "idempotency_key"

/** The header that carries the Idempotency-Key of an operation in REST. */
export const keyHeader = "Idempotency-Key"

/** An error of an operation's key, named as REST clients send the key: by its header. */
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
  // Faults of the body are reported before those of the key. Contract: 4.5.
  return new Invalid({ details: takesKey && Object.keys(others).length > 0 ? others : details })
}

/** Makes a reader of these fields. Unknown fields are ignored, and null counts as absent. */
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
