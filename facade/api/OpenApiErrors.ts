import { Record, Struct } from "effect"
import { toPublic } from "../../core/domain/ErrorCatalogue.ts"
import { codes, type DetailedCode, type ErrorCode, errorDetails } from "../../core/domain/ErrorCodes.ts"
import { type HttpError, headTooLarge, serverBusy } from "./Envelope.ts"
import { bodyExamples, errorExamples, exampleRequestId, inputFault } from "./ErrorExamples.ts"
import { documentOf, type JsonSchema, refTo } from "./JsonSchema.ts"
import { envelope, messageSchema, responseHeaders } from "./OpenApiResponses.ts"
import { type Endpoint, endpoints, operationIdOf, schemaPartOf } from "./Procedures.ts"

const isDetailed = (code: ErrorCode): code is DetailedCode => Object.hasOwn(errorDetails, code)

/** The schemas of details that several error codes share, by component name. */
const sharedDetails = {
  SeguroEnEstado: errorDetails.SEGURO_PASO_INVALIDO,
  VentaExistente: errorDetails.DUPLICATE_TRANSACTION,
  VentaFallida: errorDetails.INVALID_PHONE
}

const detailsOf = (code: DetailedCode): JsonSchema => {
  const name = Struct.keys(sharedDetails).find((shared) => sharedDetails[shared] === errorDetails[code])
  return name === undefined ? documentOf(errorDetails[code]) : refTo(name)
}

/** The component of the `error` object with a code: `ErrorInvalidPhone` for INVALID_PHONE. */
const errorName = (code: ErrorCode): string =>
  `Error${code
    .split("_")
    .map((word) => `${word.charAt(0)}${word.slice(1).toLowerCase()}`)
    .join("")}`

const errorObject = (code: ErrorCode): JsonSchema => {
  const properties = {
    code: { type: "string", const: code },
    message: messageSchema,
    ...(isDetailed(code) && { details: detailsOf(code) })
  }
  return { type: "object", required: Object.keys(properties), properties }
}

/** An `error` object with one of these codes. A generated client finds the schema of the details by `code`. */
const errorWith = (some: ReadonlyArray<ErrorCode>): JsonSchema => ({
  oneOf: some.map((code) => refTo(errorName(code))),
  discriminator: {
    propertyName: "code",
    mapping: Object.fromEntries(some.map((code) => [code, refTo(errorName(code)).$ref]))
  }
})

const everyCode = Struct.keys(codes)

/**
 * The schemas of errors. `Error` describes a response with any code. A schema named after a code describes a response
 * with that code. `errorName` names the schema of the `error` object in this response.
 */
export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  // The members exclude each other by error.code. A discriminator must be a direct property, so this is anyOf.
  Error: { description: "Cualquier respuesta de error.", anyOf: everyCode.map(refTo) },
  ...Object.fromEntries(everyCode.map((code) => [code, envelope(false, { error: refTo(errorName(code)) })])),
  ...Object.fromEntries(everyCode.map((code) => [errorName(code), errorObject(code)])),
  ...Record.map(sharedDetails, documentOf)
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
    headTooLarge,
    serverBusy
  ]
}

/** The errors of an endpoint that have the same status. */
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

/** The codes of a response, in the order of the catalogue. */
const codesIn = ({ errors }: Failure): ReadonlyArray<ErrorCode> =>
  everyCode.filter((code) => errors.some((error) => error.code === code))

const joined = (some: ReadonlyArray<ErrorCode>): string => some.join("_o_")

/**
 * The error responses that can have several codes, grouped by their codes. The responses of a group share one
 * schema.
 */
const combinations = Map.groupBy(
  endpoints.flatMap((endpoint) =>
    failuresOf(endpoint).flatMap((failure) => {
      const some = codesIn(failure)
      return some.length === 1 ? [] : [{ some, name: `Respuesta${schemaPartOf(endpoint)}${failure.status}` }]
    })
  ),
  ({ some }) => joined(some)
)

// The name is made of the codes. More than two codes would make it too long, so the first operation with these codes
// gives the schema its name.
const schemaNameOf = (some: ReadonlyArray<ErrorCode>): string =>
  (some.length > 2 ? combinations.get(joined(some))?.[0]?.name : undefined) ?? joined(some)

/** The schemas of the responses with several codes, by component name. */
export const failureSchemas: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  [...combinations.values()].flatMap(([first]) =>
    first === undefined ? [] : [[schemaNameOf(first.some), envelope(false, { error: errorWith(first.some) })]]
  )
)

const exampleOf = ({ code, details, message }: HttpError) => ({
  value: {
    success: false,
    error: { code, message, ...(details && { details }) },
    request_id: exampleRequestId
  }
})

/** The errors that have the same meaning at every endpoint. */
const shared: ReadonlySet<HttpError> = new Set<HttpError>([
  ...Object.values(errorExamples).map(([first]) => first),
  ...bodyExamples,
  headTooLarge,
  serverBusy
])

/** The component name of an error that has the same meaning at every endpoint. */
const sharedName = ({ code, status }: HttpError): string => (status === codes[code].status ? code : `${code}_${status}`)

const responseOf = (failure: Failure) => {
  const { errors, replays, status } = failure
  return {
    description: errors.map(({ code, message }) => `${code}: ${message}`).join(" "),
    headers: responseHeaders({
      status,
      errors: errors.map(({ code }) => code),
      waits: errors.some(({ details }) => details?.["retry_after"] !== undefined),
      replays
    }),
    content: {
      "application/json": {
        schema: refTo(schemaNameOf(codesIn(failure))),
        examples: Object.fromEntries(
          errors.map((error) => [
            error.code,
            shared.has(error) ? { $ref: `#/components/examples/${sharedName(error)}` } : exampleOf(error)
          ])
        )
      }
    }
  }
}

/**
 * The component name of an error response. A response that is the same at every endpoint is named after its code. Any
 * other response is named after its operation.
 */
const nameOf = (endpoint: Endpoint, { errors: [first, ...others], replays, status }: Failure): string => {
  if (first === undefined || others.length > 0 || replays || !shared.has(first))
    return `${operationIdOf(endpoint)}_${status}`
  return sharedName(first)
}

const usedErrors = endpoints.flatMap(errorsOf).filter((error) => shared.has(error))

/** The examples that several error responses refer to, by component name. */
export const exampleComponents = Object.fromEntries(usedErrors.map((error) => [sharedName(error), exampleOf(error)]))

/** The error responses of all endpoints, by component name. */
export const errorResponses = Object.fromEntries(
  endpoints.flatMap((endpoint) =>
    failuresOf(endpoint).map((failure) => [nameOf(endpoint, failure), responseOf(failure)])
  )
)

/** The component names of an endpoint's error responses, by status. */
export const errorNamesOf = (endpoint: Endpoint): ReadonlyArray<readonly [status: number, name: string]> =>
  failuresOf(endpoint).map((failure) => [failure.status, nameOf(endpoint, failure)])
