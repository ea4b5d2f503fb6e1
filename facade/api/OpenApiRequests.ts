import { initTRPC } from "@trpc/server"
import { Record } from "effect"
import { generateOpenApiDocument, type OpenApiMeta } from "trpc-to-openapi"
import { z } from "zod"
import { keyField, keyHeader } from "./Input.ts"
import { documentOf, type JsonSchema, refTo } from "./JsonSchema.ts"
import type { BodyForm, Procedure } from "./Procedure.ts"
import { type Endpoint, endpoints, operationIdOf, schemaPartOf } from "./Procedures.ts"

// The generator accepts only zod schemas. This zod schema validates nothing: it only contains the JSON Schema of an
// Effect Schema.
const carrying = (document: JsonSchema) =>
  z.string().meta({
    override: ({ jsonSchema }) => {
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema]
      Object.assign(jsonSchema, document)
    }
  })

const inputOf = ({ input: { schema, takesKey } }: Procedure) => {
  const fields = Object.entries(schema.fields).filter(([name]) => !takesKey || name !== keyField)
  return z.object(
    Object.fromEntries(
      fields.map(([name, field]) => {
        const property = carrying(documentOf(field))
        return [name, field.ast.context?.isOptional ? property.optional() : property]
      })
    )
  )
}

const knownEtag = carrying({
  type: "string",
  description: "El ETag de una respuesta anterior: si data sigue igual, la respuesta es 304 y no trae cuerpo."
})

const requestHeadersOf = ({ input, meta }: Procedure) => {
  const key = input.schema.fields[keyField]
  return z.object({
    ...(input.takesKey && key !== undefined && { [keyHeader]: carrying(documentOf(key)) }),
    ...(meta.cached && { "If-None-Match": knownEtag.optional() })
  })
}

const t = initTRPC.meta<OpenApiMeta>().create()

// The generator reads a tRPC router. These procedures only describe the endpoints and are never called.
const describing = (endpoint: Endpoint) => {
  const { procedure } = endpoint
  const { path, summary, tag } = procedure.meta
  const described = t.procedure
    .meta({
      openapi: {
        method: endpoint.method,
        path,
        summary,
        tags: [tag],
        requestHeaders: requestHeadersOf(procedure),
        operationId: operationIdOf(endpoint)
      }
    })
    .input(inputOf(procedure))
    .output(z.unknown())
  return procedure.type === "query" ? described.query(() => undefined) : described.mutation(() => undefined)
}

const describingRouter = t.router(
  Object.fromEntries(endpoints.map((endpoint) => [endpoint.name, describing(endpoint)]))
)

interface BodySchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
}

/** An operation as the generator describes it. */
interface Generated {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: BodySchema }>> }
}

const document = generateOpenApiDocument(describingRouter, {
  title: "",
  version: "",
  openApiVersion: "3.1.0",
  baseUrl: "/"
})

const generatedPaths = document.paths as unknown as Readonly<Record<string, Readonly<Record<string, Generated>>>>

const generatedOf = ({ method, procedure }: Endpoint): Generated =>
  generatedPaths[procedure.meta.path]?.[method.toLowerCase()] ?? {}

const bodyOf = (endpoint: Endpoint) => generatedOf(endpoint).requestBody?.content["application/json"]

/** The operation of an endpoint: its id, summary, tag and parameters. */
export const requestOf = (endpoint: Endpoint) => {
  const { requestBody: _, ...operation } = generatedOf(endpoint)
  return {
    ...operation,
    ...(bodyOf(endpoint) && { requestBody: { $ref: `#/components/requestBodies/${operationIdOf(endpoint)}` } })
  }
}

const formOf = ({ properties, required = [] }: BodySchema, { description, needs, without = [] }: BodyForm) => ({
  type: "object",
  description,
  required: [...required, ...needs],
  properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !without.includes(name)))
})

const bodySchemaName = (endpoint: Endpoint): string => `Solicitud${schemaPartOf(endpoint)}`

/** The schemas of a body, by component name: one schema for the body, or one schema for each of its forms. */
const bodySchemasOf = (endpoint: Endpoint): Readonly<Record<string, JsonSchema | BodySchema>> => {
  const schema = bodyOf(endpoint)?.schema
  const { forms } = endpoint.procedure.meta
  if (schema === undefined) return {}
  return forms === undefined
    ? { [bodySchemaName(endpoint)]: schema }
    : Record.map(forms, (form) => formOf(schema, form))
}

/** The schemas that request bodies refer to, by component name. */
export const requestSchemas: Readonly<Record<string, JsonSchema>> = Object.assign({}, ...endpoints.map(bodySchemasOf))

const requestBodyOf = (endpoint: Endpoint) => {
  const { example, forms } = endpoint.procedure.meta
  return {
    required: true,
    content: {
      "application/json": {
        schema: forms === undefined ? refTo(bodySchemaName(endpoint)) : { anyOf: Object.keys(forms).map(refTo) },
        ...(example?.request !== undefined && { example: example.request }),
        ...(example?.requests !== undefined && { examples: Record.map(example.requests, (value) => ({ value })) })
      }
    }
  }
}

/** The request bodies of all endpoints, by operation id. */
export const requestBodies = Object.fromEntries(
  endpoints
    .filter((endpoint) => bodyOf(endpoint) !== undefined)
    .map((endpoint) => [operationIdOf(endpoint), requestBodyOf(endpoint)])
)
