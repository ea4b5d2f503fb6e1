import { generateOpenApiDocument } from "trpc-to-openapi"
import { errorsPath } from "../call/DocsPaths.ts"
import { Callers, type Gate } from "../trpc/Gate.ts"
import { componentsOf, documentOf } from "../wire/Document.ts"
import { documentedRouter, operationIdOf } from "./DocumentedRouter.ts"
import { type Endpoint, endpoints } from "./Endpoint.ts"
import { exampleRequestId } from "./ErrorExamples.ts"
import { successSchema } from "./OpenApiEnvelope.ts"
import { errorResponses, errorResponsesOf, errorSchemas } from "./OpenApiErrors.ts"
import { headerComponents, responseHeaders } from "./OpenApiHeaders.ts"

const json = ({ meta, output }: Endpoint) => ({
  schema: successSchema(documentOf(output.schema)),
  ...(meta.example && {
    example: {
      success: true,
      data: meta.example.data,
      message: meta.example.message ?? meta.message ?? "",
      request_id: exampleRequestId
    }
  })
})

// Bytes have no schema in OpenAPI 3.1: their type says it all.
const fileSchemas = { "application/pdf": {}, "text/csv": { schema: { type: "string" } } }

const success = (endpoint: Endpoint) => {
  const { cached, file, message, onlyFile, openapi, status = 200 } = endpoint.meta
  return {
    description: message ?? openapi.summary ?? "",
    headers: responseHeaders({
      status,
      cached,
      replays: endpoint.takesKey,
      file: file && (onlyFile ? "always" : "sometimes")
    }),
    content: {
      ...(!onlyFile && { "application/json": json(endpoint) }),
      ...(file && { [file]: fileSchemas[file] })
    }
  }
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> }
}

const security = ({ callers }: Gate, description = "") =>
  Callers.$match(callers, {
    Anybody: () => ({ security: [] }),
    Permitted: ({ permission }) => ({
      description: `${description} Permiso: ${permission}.`.trim(),
      security: [{ Bearer: [] }, { ApiKey: [], ApiSecret: [] }]
    })
  })

const operation = (endpoint: Endpoint, generated: Operation) => {
  const { meta } = endpoint
  const body = generated.requestBody?.content["application/json"]
  return {
    ...generated,
    ...security(meta.gate, meta.openapi.description),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          "application/json": { ...body, ...(meta.example?.request !== undefined && { example: meta.example.request }) }
        }
      }
    }),
    responses: {
      [meta.status ?? 200]: success(endpoint),
      ...(meta.cached && {
        304: { description: "No ha cambiado.", headers: responseHeaders({ status: 304, cached: true }) }
      }),
      ...errorResponsesOf(endpoint)
    }
  }
}

const pathsOf = (generated: Readonly<Record<string, Readonly<Record<string, Operation>>>>) => {
  const paths: Record<string, Record<string, object>> = {}
  for (const endpoint of endpoints) {
    const { method, path: main, summary = "" } = endpoint.meta.openapi
    const verb = method.toLowerCase()
    const found = generated[main]?.[verb]
    if (found === undefined) continue
    endpoint.paths.forEach((path, index) => {
      const aliased = index > 0 && {
        operationId: `${operationIdOf(endpoint)}Alias${index}`,
        summary: `${summary} (alias de ${main})`,
        // The console shows each operation once.
        "x-scalar-ignore": true
      }
      paths[path] = { ...paths[path], [verb]: { ...operation(endpoint, found), ...aliased } }
    })
  }
  return paths
}

const securitySchemes = {
  Bearer: { type: "http", scheme: "bearer", description: "api_key y api_secret separados por un punto." },
  ApiKey: { type: "apiKey", in: "header", name: "X-Api-Key" },
  ApiSecret: { type: "apiKey", in: "header", name: "X-Api-Secret" }
} as const

/** The OpenAPI 3.1 document of every endpoint. */
export const openApiDocument = (baseUrl: string) => {
  const generated = generateOpenApiDocument(documentedRouter, {
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
      schemas: { ...errorSchemas, ...Object.assign({}, ...endpoints.map(({ output }) => componentsOf(output.schema))) },
      responses: errorResponses,
      headers: headerComponents
    }
  }
}
