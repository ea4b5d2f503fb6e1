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

/** How the OpenAPI document shows the wire form of a schema. */
export const documentOf = (schema: Schema.Constraint): JsonSchema => {
  const declared = Schema.resolveAnnotations(schema)?.["document"]
  if (declared !== undefined) return declared as JsonSchema
  const { definitions, schema: document } = Schema.toJsonSchemaDocument(schema)
  return Object.keys(definitions).length === 0 ? document : { ...document, $defs: definitions }
}
