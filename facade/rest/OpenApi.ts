import { generateOpenApiDocument } from "trpc-to-openapi"
import { codes, type ErrorCode, type PublicError } from "../../core/domain/ErrorCatalogue.ts"
import type { JsonSchema } from "../wire/Document.ts"
import { documentedRouter, operationIdOf } from "./DocumentedRouter.ts"
import { type Endpoint, endpoints } from "./Endpoint.ts"
import { bodyExamples, exampleOf } from "./ErrorExamples.ts"
import { headerComponents, responseHeaders } from "./OpenApiHeaders.ts"

const requestId = "01990b2e-6f4c-7a10-9c3f-2f6d1f0b7e55"

const errorSchema = {
  type: "object",
  required: ["success", "error", "request_id"],
  properties: {
    success: { const: false },
    error: {
      type: "object",
      required: ["code", "message"],
      properties: {
        code: { type: "string", enum: Object.keys(codes) },
        message: { type: "string", description: "Para personas; puede cambiar." },
        details: { type: "object", description: "Su contenido depende del código." }
      }
    },
    request_id: { type: "string", format: "uuid" }
  }
}

const envelopeOf = (data: JsonSchema) => ({
  type: "object",
  required: ["success", "data", "message", "request_id"],
  properties: {
    success: { const: true },
    data,
    message: { type: "string", description: "Para personas; puede cambiar." },
    request_id: { type: "string", format: "uuid" }
  }
})

/** The codes that an endpoint may answer: what it says itself, and what follows from its kind. */
const errorsOf = ({ meta }: Endpoint): ReadonlyArray<ErrorCode> => [
  ...(meta.openapi.protect === false ? [] : (["UNAUTHENTICATED", "FORBIDDEN", "VALIDATION_ERROR"] as const)),
  ...(meta.errors ?? []),
  "RATE_LIMIT_EXCEEDED",
  "INTERNAL_ERROR"
]

const failures = (endpoint: Endpoint) => {
  const examples = [...errorsOf(endpoint).map(exampleOf), ...(endpoint.type === "mutation" ? bodyExamples : [])]
  const statuses = Map.groupBy(examples, ({ status }) => status)
  return Object.fromEntries([...statuses].map(([status, errors]) => [status, failure(status, errors)]))
}

const failure = (status: number, errors: ReadonlyArray<PublicError>) => ({
  description: errors.map(({ code, message }) => `${code}: ${message}`).join(" "),
  headers: responseHeaders(
    status,
    errors.map(({ code }) => code)
  ),
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      examples: Object.fromEntries(
        errors.map(({ code, details, message }) => [
          code,
          { value: { success: false, error: { code, message, ...(details && { details }) }, request_id: requestId } }
        ])
      )
    }
  }
})

const success = ({ meta, takesKey }: Endpoint, data: JsonSchema) => ({
  description: meta.message ?? meta.openapi.summary ?? "",
  headers: responseHeaders(meta.status ?? 200, [], { cached: meta.cached ?? false, replays: takesKey }),
  content: {
    "application/json": {
      schema: envelopeOf(data),
      ...(meta.example && {
        example: { success: true, data: meta.example.data, message: meta.message ?? "", request_id: requestId }
      })
    }
  }
})

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> }>
  >
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> }
}

const operation = (endpoint: Endpoint, generated: Operation) => {
  const { meta } = endpoint
  const data = generated.responses["200"]?.content["application/json"]?.schema ?? {}
  const body = generated.requestBody?.content["application/json"]
  return {
    ...generated,
    ...(meta.permission && { description: `Permiso: ${meta.permission}.` }),
    security: meta.openapi.protect === false ? [] : [{ Bearer: [] }, { ApiKey: [], ApiSecret: [] }],
    ...(body && {
      requestBody: {
        required: true,
        content: {
          "application/json": { ...body, ...(meta.example?.request !== undefined && { example: meta.example.request }) }
        }
      }
    }),
    responses: {
      [meta.status ?? 200]: success(endpoint, data),
      ...(meta.cached && {
        304: { description: "No ha cambiado.", headers: responseHeaders(304, [], { cached: true }) }
      }),
      ...failures(endpoint)
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
        summary: `${summary} (alias de ${main})`
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
    paths: pathsOf(generated.paths as unknown as Parameters<typeof pathsOf>[0]),
    components: { ...generated.components, securitySchemes, schemas: { Error: errorSchema }, headers: headerComponents }
  }
}
