import type { OpenApiRouter } from "trpc-to-openapi"
import { z } from "zod"
import { documentOf, type JsonSchema } from "../wire/Document.ts"
import { keyField } from "../wire/Input.ts"
import { type Endpoint, endpoints } from "./Endpoint.ts"
import { keyHeader } from "./KeyHeader.ts"

// The generator reads zod. These check nothing at run time: each only carries the JSON Schema of an Effect Schema.
const carrying = (document: JsonSchema) =>
  z.string().meta({
    override: ({ jsonSchema }) => {
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema]
      Object.assign(jsonSchema, document)
    }
  })

const inputOf = ({ input }: Endpoint) => {
  const { properties, required } = documentOfFields(input)
  return z.object(
    Object.fromEntries(
      Object.entries(properties).map(([name, document]) => {
        const property = carrying(document)
        return [name, required.has(name) ? property : property.optional()]
      })
    )
  )
}

const documentOfFields = ({ schema, takesKey }: Endpoint["input"]) => {
  const fields = Object.entries(schema.fields).filter(([name]) => !takesKey || name !== keyField)
  return {
    properties: Object.fromEntries(fields.map(([name, field]) => [name, documentOf(field)])),
    required: new Set(fields.flatMap(([name, { ast }]) => (ast.context?.isOptional ? [] : [name])))
  }
}

const knownEtag = carrying({
  type: "string",
  description: "El ETag de una respuesta anterior: si data sigue igual, la respuesta es 304 y no trae cuerpo."
})

const headersOf = ({ input, meta }: Endpoint) => {
  const key = input.schema.fields[keyField]
  return {
    requestHeaders: z.object({
      ...(input.takesKey && key !== undefined && { [keyHeader]: carrying(documentOf(key)) }),
      ...(meta.cached && { "If-None-Match": knownEtag.optional() })
    })
  }
}

/** `recargas.crear` is `recargasCrear`. */
export const operationIdOf = ({ name }: Endpoint): string =>
  name.replace(/\.(.)/g, (_, letter: string) => letter.toUpperCase())

/** The procedures as the generator wants to see them: inputs in zod, the key in its header. */
export const documentedRouter = {
  _def: {
    procedures: Object.fromEntries(
      endpoints.map((endpoint) => [
        endpoint.name,
        {
          _def: {
            type: endpoint.type,
            meta: {
              openapi: { ...endpoint.meta.openapi, ...headersOf(endpoint), operationId: operationIdOf(endpoint) }
            },
            inputs: [inputOf(endpoint)],
            output: z.unknown()
          }
        }
      ])
    )
  }
} as unknown as OpenApiRouter
