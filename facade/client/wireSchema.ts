import { Record as Records } from "effect"
import { type DetailedCode, errorDetails } from "../../core/domain/ErrorCodes.ts"
import { EventView } from "../api/EventView.ts"
import { keyField } from "../api/Input.ts"
import { componentsOf, documentOf, enumerations, type JsonSchema, refTo, schemasPath } from "../api/JsonSchema.ts"
import type { Procedure } from "../api/Procedure.ts"
import { type Endpoint, endpoints, schemaPartOf } from "../api/Procedures.ts"

const objectOf = (properties: Readonly<Record<string, JsonSchema>>, optional: ReadonlyArray<string> = []) => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false
})

const inputOf = ({ input: { schema, takesKey } }: Procedure): JsonSchema => {
  if (Object.keys(schema.fields).length === 0) return { tsType: "Record<string, never>" }
  const optional = Object.entries(schema.fields).flatMap(([name, { ast }]) => (ast.context?.isOptional ? [name] : []))
  // The key is optional, because the client makes a key for a call without one.
  return objectOf(Records.map(schema.fields, documentOf), takesKey ? [...optional, keyField] : optional)
}

/** The name of the type of a procedure's input: `RecargasCrearEntrada` for `recargas.crear`. */
const inputName = (endpoint: Endpoint): string => `${schemaPartOf(endpoint)}Entrada`

const callOf = (endpoint: Endpoint): JsonSchema =>
  objectOf({
    type: { const: endpoint.procedure.type },
    input: refTo(inputName(endpoint)),
    output: documentOf(endpoint.procedure.output)
  })

const actionOf = ({ name }: Endpoint): string => name.slice(name.indexOf(".") + 1)

const calls = Object.fromEntries(
  Array.from(
    Map.groupBy(endpoints, ({ name }) => name.slice(0, name.indexOf("."))),
    ([resource, those]) => [resource, objectOf(Object.fromEntries(those.map((each) => [actionOf(each), callOf(each)])))]
  )
)

/** The types that get a name, because other types refer to them. */
const named: Readonly<Record<string, JsonSchema>> = {
  ...enumerations,
  ...Object.assign({}, ...endpoints.map(({ procedure }) => componentsOf(procedure.output))),
  ...Object.fromEntries(endpoints.map((endpoint) => [inputName(endpoint), inputOf(endpoint.procedure)]))
}

const wire = {
  ...objectOf({
    procedures: objectOf(calls),
    errorCode: refTo("CodigoError"),
    errorDetails: objectOf(Records.map(errorDetails, documentOf) as Record<DetailedCode, JsonSchema>),
    event: documentOf(EventView)
  }),
  title: "Wire",
  definitions: named
}

/**
 * The types of facade/client/Wire.ts as one JSON Schema, made from the schemas of the procedures and of the errors. The
 * build of the package turns it into plain TypeScript.
 */
export const wireSchema: JsonSchema = JSON.parse(JSON.stringify(wire).replaceAll(schemasPath, "#/definitions/"))
