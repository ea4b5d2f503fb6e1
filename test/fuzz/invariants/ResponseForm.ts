import { Predicate } from "effect"
import { codes } from "../../../core/domain/ErrorCodes.ts"
import { schemaFaultsBy } from "../../fakes/SchemaFaults.ts"
import { documentFaults, inlinedApiDocument } from "../../support/ApiDocument.ts"
import type { OperationCall } from "../request/OperationCall.ts"
import type { Operation } from "../request/Operations.ts"
import { type Exchange, trpcItems, type Violation } from "./Exchange.ts"

/** The path of a request target. If the target is an absolute URL, its host is dropped. */
const pathOf = (path: string): string => path.replace(/^https?:\/\/[^/]*/, "")

// Node strips the body of a response to HEAD. Node keeps the body if it could not parse the request, because Node does not
// know the method of such a request.
const methodOf = ({ answer, request: { method } }: Exchange): string =>
  method === "HEAD" && answer.text !== "" ? "" : method

const documented = (exchange: Exchange): ReadonlyArray<string> =>
  documentFaults({ method: methodOf(exchange), path: pathOf(exchange.request.path) }, exchange.answer)

/**
 * Statuses above 500 that are allowed, each only with its code. Any other status of 500 or more is a defect of the
 * service. Contract: 7.
 */
const allowedServerErrors: ReadonlySet<string> = new Set(["501 NOT_IMPLEMENTED", "503 SEGUROS_NO_DISPONIBLE"])

const isUnexpectedServerError = (status: number | undefined, code: string | undefined): boolean =>
  (status ?? 0) >= 500 && !allowedServerErrors.has(`${status} ${code}`)

const serverErrors = (exchange: Exchange): ReadonlyArray<string> => {
  const { body, status } = exchange.answer
  const own = { status, code: body?.error?.code }
  const items = trpcItems(exchange).map(({ error }) => ({
    status: error?.data?.httpStatus,
    code: error?.data?.error?.code
  }))
  // A single tRPC call states its status twice: in its result and as the HTTP status.
  const isIncluded = items.some((item) => item.status === status)
  return [...(isIncluded ? [] : [own]), ...items].flatMap(({ code, status }) =>
    isUnexpectedServerError(status, code) ? [`it returned ${status} ${code ?? ""}`] : []
  )
}

const commonHeaders: ReadonlyArray<readonly [name: string, form: RegExp]> = [
  ["x-request-id", /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/],
  ["x-ratelimit-limit", /^\d+$/],
  ["x-ratelimit-remaining", /^\d+$/],
  ["x-ratelimit-reset", /^\d+$/],
  ["ratelimit", /^"default";r=\d+;t=\d+$/],
  ["ratelimit-policy", /^"default";q=\d+;w=\d+$/],
  ["x-frame-options", /^DENY$/],
  ["access-control-allow-origin", /^\*$/]
]

const headers = ({ answer }: Exchange): ReadonlyArray<string> =>
  commonHeaders.flatMap(([name, form]) => {
    const value = answer.headers.get(name)
    return value !== null && form.test(value) ? [] : [`${name} is ${value}`]
  })

const errorFaults = (error: unknown, status: number): ReadonlyArray<string> => {
  if (!Predicate.isObject(error)) return ["there is no error"]
  const { code, details, message } = error as Record<string, unknown>
  if (typeof code !== "string" || !Object.hasOwn(codes, code)) return [`the code is ${code}`]
  const wanted: number = codes[code as keyof typeof codes].status
  const ofBody = code === "VALIDATION_ERROR" && [408, 413, 415, 431].includes(status)
  return [
    ...(wanted === status || ofBody ? [] : [`${code} came with ${status}`]),
    ...(details === undefined || Predicate.isObject(details) ? [] : ["details is not an object"]),
    ...(typeof message === "string" && message !== "" ? [] : ["there is no message"])
  ]
}

const idFault = (id: unknown, { answer }: Exchange): ReadonlyArray<string> =>
  id === answer.headers.get("x-request-id") ? [] : ["request_id differs from the header"]

/** Checks the response envelope. Contract: 2.1. */
const envelope = (exchange: Exchange): ReadonlyArray<string> => {
  const { body, status } = exchange.answer
  if (body === undefined) return []
  // 202 is an error about a pending sale, and a success about deliveries of webhooks. The document tells them apart.
  const well = status === 200 || status === 201 || (status === 202 && body?.error === undefined)
  return [
    ...(body?.success === well ? [] : [`success is ${body?.success} with ${status}`]),
    ...idFault(body?.request_id, exchange),
    ...(well ? [] : errorFaults(body?.error, status))
  ]
}

const faultsBy = schemaFaultsBy(inlinedApiDocument)

/** Where the document has the schema of an operation's response data. */
const placeOf = ({ method, path, statuses }: Operation): ReadonlyArray<string> => {
  const done = String(Math.min(...statuses.filter((status) => status < 300)))
  const response = ["paths", path, method.toLowerCase(), "responses", done]
  return [...response, "content", "application/json", "schema", "properties", "data"]
}

/**
 * Checks tRPC data against the REST schema. The operation that returns the insurance document is excluded, because only
 * REST returns it as a file.
 */
const dataFaults = ({ operation }: OperationCall, data: unknown): ReadonlyArray<string> =>
  operation.name === "segurosDocumento" ? [] : faultsBy(placeOf(operation), data)

const trpcShape = (exchange: Exchange): ReadonlyArray<string> => {
  const items = trpcItems(exchange)
  const expected = exchange.filled.length
  if (items.length !== expected) return [`${items.length} results for ${expected} calls`]
  return items.flatMap(({ error, result }, index) => {
    if (error === undefined) {
      const filled = exchange.filled[index]
      if (result === undefined || filled === undefined) return ["there is neither result nor error"]
      return dataFaults(filled, result.data)
    }
    const { error: own, httpStatus = 0, request_id } = error.data ?? {}
    return [...errorFaults(own, httpStatus), ...idFault(request_id, exchange)]
  })
}

// A request that Node's parser rejects receives the REST envelope, even on a tRPC path.
const isRest = ({ answer: { body }, request: { path } }: Exchange): boolean =>
  Predicate.hasProperty(body, "success") || !/^\/trpc(\/|$)/.test(pathOf(path))

const violationsOf = (invariant: string, faults: ReadonlyArray<string>): ReadonlyArray<Violation> =>
  faults.map((what) => ({ invariant, what }))

/** Checks the form of a response, without regard to its content. */
export const formFaults = (exchange: Exchange): ReadonlyArray<Violation> => [
  ...violationsOf("no unexpected server error", serverErrors(exchange)),
  ...violationsOf("every response matches the OpenAPI document", documented(exchange)),
  ...violationsOf("every response has the common headers", headers(exchange)),
  ...(isRest(exchange) ? violationsOf("every response has the envelope", envelope(exchange)) : []),
  ...(!isRest(exchange) && exchange.plain
    ? violationsOf("every tRPC call has its own result", trpcShape(exchange))
    : [])
]
