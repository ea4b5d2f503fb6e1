import { Schema } from "effect"

/** A JSON Schema of the OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>

declare module "effect/Schema" {
  namespace Annotations {
    interface Annotations {
      /** The JSON Schema of a field whose reader accepts inputs that a generated JSON Schema cannot describe. */
      readonly document?: JsonSchema | undefined
    }
  }
}

// Leaves out keywords that are true for every object, and for every integer that JavaScript writes.
const isRedundant = (key: string, value: unknown): boolean =>
  (key === "additionalProperties" && value === true) ||
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** The path of the schemas within the OpenAPI document. */
export const schemasPath = "#/components/schemas/"

const cleaned = <A>(generated: A): A =>
  JSON.parse(JSON.stringify(generated), (key, value) => {
    if (key === "$ref") return String(value).replace("#/$defs/", schemasPath)
    return isRedundant(key, value) ? undefined : value
  })

/** The JSON Schema of the JSON form of a schema. A schema with an identifier becomes a reference to a component. */
export const documentOf = (schema: Schema.Constraint): JsonSchema => {
  const declared = Schema.resolveAnnotations(schema)?.["document"]
  return declared === undefined ? cleaned(Schema.toJsonSchemaDocument(schema).schema) : (declared as JsonSchema)
}

/** The components that a schema refers to, by their identifiers. */
export const componentsOf = (schema: Schema.Constraint): Readonly<Record<string, JsonSchema>> =>
  cleaned(Schema.toJsonSchemaDocument(schema).definitions)
