import { initTRPC } from "@trpc/server"
import { generateOpenApiDocument, type OpenApiMeta } from "trpc-to-openapi"
import { z } from "zod"
import { errorsPath } from "./Envelope.ts"
import { exampleRequestId } from "./ErrorExamples.ts"
import { keyField, keyHeader } from "./Input.ts"
import { componentsOf, documentOf, type JsonSchema } from "./JsonSchema.ts"
import {
  errorResponses,
  errorResponsesOf,
  errorSchemas,
  headerComponents,
  responseHeaders,
  successSchema
} from "./OpenApiResponses.ts"
import type { Procedure } from "./Procedure.ts"
import { type Endpoint, endpoints } from "./Procedures.ts"

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

/** The operation id of an endpoint: `recargasCrear` for `recargas.crear`. */
export const operationIdOf = ({ name }: Endpoint): string =>
  name.replace(/\.(.)/g, (_, letter: string) => letter.toUpperCase())

const t = initTRPC.meta<OpenApiMeta>().create()

// The generator reads a tRPC router. These procedures only describe the endpoints and are never called.
const describing = (endpoint: Endpoint) => {
  const { procedure } = endpoint
  const { description, path, summary, tag } = procedure.meta
  const described = t.procedure
    .meta({
      openapi: {
        method: endpoint.method,
        path,
        summary,
        ...(description !== undefined && { description }),
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

const jsonContent = ({ meta, output }: Procedure) => ({
  schema: successSchema(documentOf(output)),
  ...(meta.example && {
    example: {
      success: true,
      data: meta.example.data,
      message: meta.example.message ?? meta.message ?? "",
      request_id: exampleRequestId
    }
  })
})

// OpenAPI 3.1 has no schema for binary content, so a PDF is described only by its media type.
const fileSchemas = { "application/pdf": {}, "text/csv": { schema: { type: "string" } } }

const successResponse = (procedure: Procedure) => {
  const { cached, file, message, onlyFile, status = 200, summary } = procedure.meta
  return {
    description: message ?? summary,
    headers: responseHeaders({
      status,
      cached,
      replays: procedure.input.takesKey,
      file: file && (onlyFile ? "always" : "sometimes")
    }),
    content: {
      ...(!onlyFile && { "application/json": jsonContent(procedure) }),
      ...(file && { [file]: fileSchemas[file] })
    }
  }
}

const securityOf = ({ gate: { permission }, meta: { description = "" } }: Procedure) =>
  permission === null
    ? { security: [] }
    : {
        description: `${description} Permiso: ${permission}.`.trim(),
        security: [{ Bearer: [] }, { ApiKey: [], ApiSecret: [] }]
      }

/** An operation of the generated document. */
interface Generated {
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> }
}

const operationOf = (endpoint: Endpoint, generated: Generated) => {
  const { procedure } = endpoint
  const { cached, example, status = 200 } = procedure.meta
  const body = generated.requestBody?.content["application/json"]
  return {
    ...generated,
    ...securityOf(procedure),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          "application/json": { ...body, ...(example?.request !== undefined && { example: example.request }) }
        }
      }
    }),
    responses: {
      [status]: successResponse(procedure),
      ...(cached && {
        304: { description: "No ha cambiado.", headers: responseHeaders({ status: 304, cached: true }) }
      }),
      ...errorResponsesOf(endpoint)
    }
  }
}

const pathsOf = (generated: Readonly<Record<string, Readonly<Record<string, Generated>>>>) => {
  const paths: Record<string, Record<string, object>> = {}
  for (const endpoint of endpoints) {
    const { path: main, summary } = endpoint.procedure.meta
    const verb = endpoint.method.toLowerCase()
    const found = generated[main]?.[verb]
    if (found === undefined) continue
    endpoint.paths.forEach((path, index) => {
      const aliased = index > 0 && {
        operationId: `${operationIdOf(endpoint)}Alias${index}`,
        summary: `${summary} (alias de ${main})`,
        // The console shows each operation only under its main path, and not again under an alias.
        "x-scalar-ignore": true
      }
      paths[path] = { ...paths[path], [verb]: { ...operationOf(endpoint, found), ...aliased } }
    })
  }
  return paths
}

const securitySchemes = {
  Bearer: { type: "http", scheme: "bearer", description: "api_key y api_secret separados por un punto." },
  ApiKey: { type: "apiKey", in: "header", name: "X-Api-Key" },
  ApiSecret: { type: "apiKey", in: "header", name: "X-Api-Secret" }
} as const

/** The OpenAPI 3.1 document with all endpoints. */
export const openApiDocument = (baseUrl: string) => {
  const generated = generateOpenApiDocument(describingRouter, {
    title: "Saldo",
    description:
      "Recargas, paquetes, electricidad prepagada, facturas y seguros sobre un saldo prepagado. Decida por el estado HTTP y error.code, nunca por el texto.",
    version: "1.0.0",
    openApiVersion: "3.1.0",
    baseUrl,
    securitySchemes
  })
  return {
    ...generated,
    externalDocs: { description: "Qué hacer ante cada error", url: errorsPath },
    paths: pathsOf(generated.paths as unknown as Parameters<typeof pathsOf>[0]),
    components: {
      ...generated.components,
      securitySchemes,
      schemas: {
        ...errorSchemas,
        ...Object.assign({}, ...endpoints.map(({ procedure }) => componentsOf(procedure.output)))
      },
      responses: errorResponses,
      headers: headerComponents
    }
  }
}
