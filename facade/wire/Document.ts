import { Schema } from "effect"

/** A JSON Schema, as the OpenAPI document shows it. */
export type JsonSchema = Readonly<Record<string, unknown>>

declare module "effect/Schema" {
  namespace Annotations {
    interface Annotations {
      /** How the OpenAPI document shows a field whose reader accepts more than a JSON Schema can say. */
      readonly document?: JsonSchema | undefined
    }
  }
}

// What is true anyway, of any object and of any integer that JavaScript writes, only hides what is not.
const isIdle = (key: string, value: unknown): boolean =>
  (key === "additionalProperties" && value === true) ||
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** Where the document has its schemas. */
export const schemasPath = "#/components/schemas/"

const shown = <A>(generated: A): A =>
  JSON.parse(JSON.stringify(generated), (key, value) => {
    if (key === "$ref") return String(value).replace("#/$defs/", schemasPath)
    return isIdle(key, value) ? undefined : value
  })

/** How the OpenAPI document shows the wire form of a schema. One that has an identifier is a component of it. */
export const documentOf = (schema: Schema.Constraint): JsonSchema => {
  const declared = Schema.resolveAnnotations(schema)?.["document"]
  return declared === undefined ? shown(Schema.toJsonSchemaDocument(schema).schema) : (declared as JsonSchema)
}

/** The components that a schema is made of, by their identifiers. */
export const componentsOf = (schema: Schema.Constraint): Readonly<Record<string, JsonSchema>> =>
  shown(Schema.toJsonSchemaDocument(schema).definitions)
