import { generateOpenApiDocument } from "trpc-to-openapi"
import { codes, type ErrorCode, type PublicError } from "../../core/domain/ErrorCatalogue.ts"
import { errorsPath } from "../call/DocsPaths.ts"
import { Callers, type Gate } from "../trpc/Gate.ts"
import type { JsonSchema } from "../wire/Document.ts"
import { documentedRouter, operationIdOf } from "./DocumentedRouter.ts"
import { type Endpoint, endpoints } from "./Endpoint.ts"
import { bodyExamples, exampleOf, exampleRequestId } from "./ErrorExamples.ts"
import { headerComponents, responseHeaders } from "./OpenApiHeaders.ts"

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
  ...(meta.gate.callers._tag === "Anybody" ? [] : (["UNAUTHENTICATED", "FORBIDDEN", "VALIDATION_ERROR"] as const)),
  ...(meta.errors ?? []),
  "RATE_LIMIT_EXCEEDED",
  "INTERNAL_ERROR"
]

const failures = (endpoint: Endpoint) => {
  const examples = [...errorsOf(endpoint).map(exampleOf), ...(endpoint.type === "mutation" ? bodyExamples : [])]
  const statuses = Map.groupBy(examples, ({ status }) => status)
  return Object.fromEntries([...statuses].map(([status, errors]) => [status, failure(endpoint, status, errors)]))
}

/** The envelope of an error with one of these codes. */
const errorOf = (errors: ReadonlyArray<PublicError>) => ({
  $ref: "#/components/schemas/Error",
  properties: { error: { properties: { code: { enum: [...new Set(errors.map(({ code }) => code))] } } } }
})

// How a sale was answered is repeated as it was, and that may be an error; a refusal before it is not.
const isOutcome = (status: number): boolean => status === 202 || status === 422

const failure = ({ takesKey }: Endpoint, status: number, errors: ReadonlyArray<PublicError>) => ({
  description: errors.map(({ code, message }) => `${code}: ${message}`).join(" "),
  headers: responseHeaders(
    status,
    errors.map(({ code }) => code),
    { replays: takesKey && isOutcome(status) }
  ),
  content: {
    "application/json": {
      schema: errorOf(errors),
      examples: Object.fromEntries(
        errors.map(({ code, details, message }) => [
          code,
          {
            value: {
              success: false,
              error: { code, message, ...(details && { details }) },
              request_id: exampleRequestId
            }
          }
        ])
      )
    }
  }
})

const success = ({ meta, takesKey }: Endpoint, data: JsonSchema) => ({
  description: meta.message ?? meta.openapi.summary ?? "",
  headers: responseHeaders(meta.status ?? 200, [], { cached: meta.cached ?? false, replays: takesKey }),
  content: {
    ...(!meta.onlyFile && {
      "application/json": {
        schema: envelopeOf(data),
        ...(meta.example && {
          example: { success: true, data: meta.example.data, message: meta.message ?? "", request_id: exampleRequestId }
        })
      }
    }),
    ...(meta.file && { [meta.file]: { schema: { type: "string" } } })
  }
})

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> }>
  >
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
  const data = generated.responses["200"]?.content["application/json"]?.schema ?? {}
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
    components: { ...generated.components, securitySchemes, schemas: { Error: errorSchema }, headers: headerComponents }
  }
}
