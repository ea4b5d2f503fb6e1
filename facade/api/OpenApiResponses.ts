import type { ErrorCode } from "../../core/domain/ErrorCodes.ts"
import { exampleRequestId } from "./ErrorExamples.ts"
import { componentName, documentOf, type JsonSchema, refTo } from "./JsonSchema.ts"
import type { Procedure } from "./Procedure.ts"
import { type Endpoint, endpoints, schemaPartOf } from "./Procedures.ts"

/** The message for a person, in success and error responses. */
export const messageSchema = { type: "string", description: "Para personas; puede cambiar." }

/** The envelope of every JSON response. Contract: 2.1. */
export const envelope = (success: boolean, body: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: "object",
  required: ["success", ...Object.keys(body), "request_id"],
  properties: {
    success: { type: "boolean", const: success },
    ...body,
    request_id: { type: "string", format: "uuid", description: "Identifica esta llamada." }
  }
})

const integer = { type: "integer" }
const string = { type: "string" }

/** The response headers. In a response that declares it, a `required` header is always present. */
export const headerComponents = {
  "X-Request-Id": {
    description: "Identifica esta llamada.",
    required: true,
    schema: { type: "string", format: "uuid" }
  },
  "X-RateLimit-Limit": { description: "Llamadas por minuto.", required: true, schema: integer },
  "X-RateLimit-Remaining": { description: "Llamadas que quedan en este minuto.", required: true, schema: integer },
  "X-RateLimit-Reset": { description: "Segundos Unix en que termina el minuto.", required: true, schema: integer },
  RateLimit: { description: "Los datos de X-RateLimit, según el borrador de la IETF.", required: true, schema: string },
  "RateLimit-Policy": {
    description: "El límite y la duración de la ventana, según el borrador de la IETF.",
    required: true,
    schema: string
  },
  "Idempotent-Replay": {
    description: "true cuando se repite la respuesta original.",
    schema: { type: "string", const: "true" }
  },
  "Retry-After": { description: "Segundos que conviene esperar.", schema: integer },
  Link: { description: 'La página que explica el código, con rel="help".', required: true, schema: string },
  Location: { description: "Dónde consultar la transacción.", required: true, schema: string },
  ETag: { description: "Validador débil de data, para If-None-Match.", required: true, schema: string },
  "Content-Disposition": { description: "El nombre del archivo, y si se muestra o se descarga.", schema: string },
  "WWW-Authenticate": {
    description: "La forma recomendada de las credenciales.",
    required: true,
    schema: string
  }
}

type Header = keyof typeof headerComponents

/** The headers of every response. */
const common: ReadonlyArray<Header> = [
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit",
  "RateLimit-Policy"
]

/** The error codes that are answered with a Retry-After header. */
const retryable: ReadonlySet<ErrorCode> = new Set([
  "TRANSACTION_PENDING",
  "RATE_LIMIT_EXCEEDED",
  "IDEMPOTENT_REQUEST_IN_PROGRESS",
  "SERVICE_UNAVAILABLE",
  "SEGUROS_NO_DISPONIBLE",
  "DOCUMENTO_NO_DISPONIBLE"
])

interface Described {
  readonly status: number
  readonly errors?: ReadonlyArray<ErrorCode>
  /** Whether one of the errors states in its details how long to wait. */
  readonly waits?: boolean
  readonly cached?: boolean | undefined
  readonly replays?: boolean
  /** Whether the response is a file. */
  readonly file?: "always" | "sometimes" | undefined
}

// A reference cannot add `required`. So a header that is always present in a response is copied instead of referenced.
const always = (name: "Content-Disposition" | "Retry-After") => ({
  [name]: { ...headerComponents[name], required: true }
})

/** The headers of a response. */
export const responseHeaders = ({ cached, errors = [], file, replays, status, waits }: Described) => {
  const names: ReadonlyArray<Header> = [
    ...common,
    ...(errors.length > 0 ? (["Link"] as const) : []),
    ...(waits || errors.some((code) => retryable.has(code)) ? (["Retry-After"] as const) : []),
    ...(errors.includes("TRANSACTION_PENDING") ? (["Location"] as const) : []),
    ...(status === 401 ? (["WWW-Authenticate"] as const) : []),
    ...(cached ? (["ETag"] as const) : []),
    ...(replays ? (["Idempotent-Replay"] as const) : []),
    ...(file ? (["Content-Disposition"] as const) : [])
  ]
  return {
    ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(errors.length > 0 && errors.every((code) => retryable.has(code)) && always("Retry-After")),
    ...(file === "always" && always("Content-Disposition"))
  }
}

// Procedures with the same named output share one schema.
const successSchemaName = (endpoint: Endpoint): string =>
  `Respuesta${componentName(documentOf(endpoint.procedure.output)) ?? schemaPartOf(endpoint)}`

/** The schemas of the success responses, by component name. */
export const successSchemas: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  endpoints
    .filter(({ procedure }) => procedure.meta.onlyFile !== true)
    .map((endpoint) => [
      successSchemaName(endpoint),
      envelope(true, { data: documentOf(endpoint.procedure.output), message: messageSchema })
    ])
)

const jsonContent = (endpoint: Endpoint) => {
  const { meta } = endpoint.procedure
  return {
    schema: refTo(successSchemaName(endpoint)),
    ...(meta.example && {
      example: {
        success: true,
        data: meta.example.data,
        message: meta.example.message ?? meta.message ?? "",
        request_id: exampleRequestId
      }
    })
  }
}

// OpenAPI 3.1 needs no schema for bytes, but generators do. Without this schema, they do not know the type of a response
// that is either JSON or a PDF.
const bytes = { type: "string", format: "binary" }

const fileContents = ({ meta: { fileExample, files = [] } }: Procedure) =>
  Object.fromEntries(
    files.map((file) => [file, file === "text/csv" ? { schema: string, example: fileExample } : { schema: bytes }])
  )

/** The success response of an endpoint. */
export const successResponse = (endpoint: Endpoint) => {
  const { procedure } = endpoint
  const { cached, files, message, onlyFile, status = 200, summary } = procedure.meta
  return {
    description: message ?? summary,
    headers: responseHeaders({
      status,
      cached,
      replays: procedure.input.takesKey,
      file: files && (onlyFile ? "always" : "sometimes")
    }),
    content: {
      ...(!onlyFile && { "application/json": jsonContent(endpoint) }),
      ...fileContents(procedure)
    }
  }
}
