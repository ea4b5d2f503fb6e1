import { Struct } from "effect"
import { toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { codes, type ErrorCode } from "../../core/domain/ErrorCodes.ts"
import { type DetailedCode, errorDetails } from "../../core/domain/ErrorDetails.ts"
import { type HttpError, headTooLarge } from "../call/HttpError.ts"
import { documentOf, type JsonSchema, schemasPath } from "../wire/Document.ts"
import { type Endpoint, endpoints } from "./Endpoint.ts"
import { bodyExamples, errorExamples, exampleRequestId } from "./ErrorExamples.ts"
import { inputFault } from "./InputFault.ts"
import { failureSchema, messageSchema } from "./OpenApiEnvelope.ts"
import { responseHeaders } from "./OpenApiHeaders.ts"

const isDetailed = (code: ErrorCode): code is DetailedCode => Object.hasOwn(errorDetails, code)

const schemaOf = (code: ErrorCode): JsonSchema => {
  const properties = {
    code: { type: "string", const: code },
    message: messageSchema,
    ...(isDetailed(code) && { details: documentOf(errorDetails[code]) })
  }
  return failureSchema({ type: "object", required: Object.keys(properties), properties })
}

// Whoever makes a client of the document finds the code, and what its details are, by one comparison.
const oneOf = (some: ReadonlyArray<ErrorCode>): JsonSchema => {
  const [first, ...others] = some.map((code) => ({ $ref: `${schemasPath}${code}` }))
  return first !== undefined && others.length === 0 ? first : { oneOf: [first, ...others] }
}

/** The envelope of each code, by its name, and of any of them. */
export const errorSchemas = {
  Error: { description: "Cualquier respuesta de error.", ...oneOf(Struct.keys(codes)) },
  ...Object.fromEntries(Struct.keys(codes).map((code) => [code, schemaOf(code)]))
}

/** The codes that an endpoint may answer: what it says itself, and what follows from its kind. */
const codesOf = ({ meta }: Endpoint): ReadonlyArray<ErrorCode> => [
  ...(meta.gate.callers._tag === "Anybody" ? [] : (["UNAUTHENTICATED", "FORBIDDEN", "VALIDATION_ERROR"] as const)),
  ...(meta.errors ?? []),
  "RATE_LIMIT_EXCEEDED",
  "INTERNAL_ERROR"
]

const errorsOf = (endpoint: Endpoint): ReadonlyArray<HttpError> => {
  const own = [...(endpoint.meta.causes ?? []).map(toPublic), inputFault(endpoint)]
  return [
    ...codesOf(endpoint).map((code) => own.find((error) => error.code === code) ?? errorExamples[code][0]),
    ...(endpoint.type === "mutation" ? bodyExamples : []),
    headTooLarge
  ]
}

/** The answers of one status, by which an endpoint may fail. */
interface Failure {
  readonly status: number
  readonly errors: ReadonlyArray<HttpError>
  readonly replays: boolean
}

// How a sale was answered is repeated as it was, and that may be an error; a refusal before it is not.
const isOutcome = (status: number): boolean => status === 202 || status === 422

const failuresOf = (endpoint: Endpoint): ReadonlyArray<Failure> =>
  [...Map.groupBy(errorsOf(endpoint), ({ status }) => status)].map(([status, errors]) => ({
    status,
    errors,
    replays: endpoint.takesKey && isOutcome(status)
  }))

const responseOf = ({ errors, replays, status }: Failure) => ({
  description: errors.map(({ code, message }) => `${code}: ${message}`).join(" "),
  headers: responseHeaders({ status, errors: errors.map(({ code }) => code), replays }),
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

const common: ReadonlySet<HttpError> = new Set<HttpError>([
  ...Object.values(errorExamples).map(([first]) => first),
  ...bodyExamples,
  headTooLarge
])

/**
 * The name of a response that is the same wherever it is given; undefined of one that says something of its endpoint.
 */
const nameOf = ({ errors: [first, ...others], replays, status }: Failure): string | undefined => {
  if (first === undefined || others.length > 0 || replays || !common.has(first)) return undefined
  return status === codes[first.code].status ? first.code : `${first.code}_${status}`
}

/** Those responses, by their names. */
export const errorResponses = Object.fromEntries(
  endpoints.flatMap(failuresOf).flatMap((failure) => {
    const name = nameOf(failure)
    return name === undefined ? [] : [[name, responseOf(failure)]]
  })
)

/** The responses by which an endpoint may fail, by their statuses. */
export const errorResponsesOf = (endpoint: Endpoint) =>
  Object.fromEntries(
    failuresOf(endpoint).map((failure) => {
      const name = nameOf(failure)
      return [failure.status, name === undefined ? responseOf(failure) : { $ref: `#/components/responses/${name}` }]
    })
  )
