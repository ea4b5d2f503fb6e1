import { schemaFaultsBy } from "../fakes/SchemaFaults.ts"
import { inlinedApiDocument } from "./ApiDocument.ts"

const faultsBy = schemaFaultsBy(inlinedApiDocument)

/** The path to the schema of each event type in the OpenAPI document. */
const places: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.keys(inlinedApiDocument.webhooks).flatMap((name) => {
    const place = ["webhooks", name, "post", "requestBody", "content", "application/json", "schema"]
    const { schema } = inlinedApiDocument.webhooks[name].post.requestBody.content["application/json"]
    const types: ReadonlyArray<string> = schema.properties.type.enum
    return types.map((type) => [type, place] as const)
  })
)

/** The event types for which the OpenAPI document describes a webhook request. */
export const documentedTypes: ReadonlyArray<string> = [...places.keys()]

/** The ways in which an event violates the schema of its type in the OpenAPI document. */
export const eventFaults = (event: { readonly type?: unknown }): ReadonlyArray<string> => {
  const place = places.get(String(event.type))
  return place === undefined ? [`the type ${event.type} is not documented`] : faultsBy(place, event)
}
