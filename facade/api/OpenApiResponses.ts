import { Struct } from "effect"
import { toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { codes, type DetailedCode, type ErrorCode, errorDetails } from "../../core/domain/ErrorCodes.ts"
import { type HttpError, headTooLarge } from "./Envelope.ts"
import { bodyExamples, errorExamples, exampleRequestId, inputFault } from "./ErrorExamples.ts"
import { documentOf, type JsonSchema, schemasPath } from "./JsonSchema.ts"
import { type Endpoint, endpoints } from "./Procedures.ts"

/** The message for a person, in success and error responses. */
const messageSchema = { type: "string", description: "Para personas; puede cambiar." }

/** The envelope of every JSON response. Contract: 2.1. */
const envelope = (success: boolean, body: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: "object",
  required: ["success", ...Object.keys(body), "request_id"],
  properties: { success: { const: success }, ...body, request_id: { type: "string", format: "uuid" } }
})

export const successSchema = (data: JsonSchema) => envelope(true, { data, message: messageSchema })

const failureSchema = (error: JsonSchema) => envelope(false, { error })

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
  RateLimit: { description: "Lo mismo, según el borrador de la IETF.", required: true, schema: string },
  "RateLimit-Policy": { description: "La política, según el borrador de la IETF.", required: true, schema: string },
  "Idempotent-Replay": { description: "true cuando se repite la respuesta original.", schema: { const: "true" } },
  "Retry-After": { description: "Segundos que conviene esperar.", schema: integer },
  Link: { description: 'La página que explica el código, con rel="help".', required: true, schema: string },
  Location: { description: "Dónde consultar la transacción.", required: true, schema: string },
  ETag: { description: "Validador débil de data, para If-None-Match.", required: true, schema: string },
  "Content-Disposition": { description: "De un archivo: su nombre, y si se muestra o se guarda.", schema: string },
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

/** The error codes whose responses have a Retry-After header. */
const retryable: ReadonlySet<ErrorCode> = new Set([
  "TRANSACTION_PENDING",
  "RATE_LIMIT_EXCEEDED",
  "IDEMPOTENT_REQUEST_IN_PROGRESS",
  "SERVICE_UNAVAILABLE",
  "SEGUROS_NO_DISPONIBLE"
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
    ...(status === 202 ? (["Location"] as const) : []),
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

const isDetailed = (code: ErrorCode): code is DetailedCode => Object.hasOwn(errorDetails, code)

const schemaOf = (code: ErrorCode): JsonSchema => {
  const properties = {
    code: { type: "string", const: code },
    message: messageSchema,
    ...(isDetailed(code) && { details: documentOf(errorDetails[code]) })
  }
  return failureSchema({ type: "object", required: Object.keys(properties), properties })
}

// Each error code has its own schema. A generated client compares `code` to find the schema and the details of an
// error.
const oneOf = (some: ReadonlyArray<ErrorCode>): JsonSchema => {
  const [first, ...others] = some.map((code) => ({ $ref: `${schemasPath}${code}` }))
  return first !== undefined && others.length === 0 ? first : { oneOf: [first, ...others] }
}

/**
 * The schemas of the error envelope: the schema `Error` for any code, and one schema for each code, named like the
 * code.
 */
export const errorSchemas = {
  Error: { description: "Cualquier respuesta de error.", ...oneOf(Struct.keys(codes)) },
  ...Object.fromEntries(Struct.keys(codes).map((code) => [code, schemaOf(code)]))
}

/**
 * The error codes that an endpoint may return: the codes in its meta, and the codes that every endpoint of its kind may
 * return.
 */
const codesOf = ({ procedure: { gate, meta } }: Endpoint): ReadonlyArray<ErrorCode> => [
  ...(gate.permission === null ? [] : (["UNAUTHENTICATED", "FORBIDDEN", "VALIDATION_ERROR"] as const)),
  ...(meta.errors ?? []),
  "RATE_LIMIT_EXCEEDED",
  "INTERNAL_ERROR"
]

const errorsOf = (endpoint: Endpoint): ReadonlyArray<HttpError> => {
  const { meta, type } = endpoint.procedure
  const own = [...(meta.causes ?? []).map(toPublic), inputFault(endpoint.procedure)]
  return [
    ...codesOf(endpoint).map((code) => own.find((error) => error.code === code) ?? errorExamples[code][0]),
    ...(type === "mutation" ? bodyExamples : []),
    headTooLarge
  ]
}

/** The error responses of an endpoint with one status. */
interface Failure {
  readonly status: number
  readonly errors: ReadonlyArray<HttpError>
  readonly replays: boolean
}

// A retry receives the stored outcome of the operation again, which may be an error. An error from before the operation
// is not stored.
const isOutcome = (status: number): boolean => status === 202 || status === 422

const failuresOf = (endpoint: Endpoint): ReadonlyArray<Failure> =>
  [...Map.groupBy(errorsOf(endpoint), ({ status }) => status)].map(([status, errors]) => ({
    status,
    errors,
    replays: endpoint.procedure.input.takesKey && isOutcome(status)
  }))

const responseOf = ({ errors, replays, status }: Failure) => ({
  description: errors.map(({ code, message }) => `${code}: ${message}`).join(" "),
  headers: responseHeaders({
    status,
    errors: errors.map(({ code }) => code),
    waits: errors.some(({ details }) => details?.["retry_after"] !== undefined),
    replays
  }),
  content: {
    "application/json": {
      schema: oneOf(errors.map(({ code }) => code)),
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

/** The errors that have the same meaning at every endpoint. */
const shared: ReadonlySet<HttpError> = new Set<HttpError>([
  ...Object.values(errorExamples).map(([first]) => first),
  ...bodyExamples,
  headTooLarge
])

/**
 * The component name of an error response that is the same at every endpoint. Undefined if the response belongs to one
 * endpoint only.
 */
const nameOf = ({ errors: [first, ...others], replays, status }: Failure): string | undefined => {
  if (first === undefined || others.length > 0 || replays || !shared.has(first)) return undefined
  return status === codes[first.code].status ? first.code : `${first.code}_${status}`
}

/** The error responses that endpoints share, by component name. */
export const errorResponses = Object.fromEntries(
  endpoints.flatMap(failuresOf).flatMap((failure) => {
    const name = nameOf(failure)
    return name === undefined ? [] : [[name, responseOf(failure)]]
  })
)

/** The error responses of an endpoint, by status. */
export const errorResponsesOf = (endpoint: Endpoint) =>
  Object.fromEntries(
    failuresOf(endpoint).map((failure) => {
      const name = nameOf(failure)
      return [failure.status, name === undefined ? responseOf(failure) : { $ref: `#/components/responses/${name}` }]
    })
  )
