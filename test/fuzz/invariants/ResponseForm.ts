import { Predicate } from "effect"
import { codes } from "../../../core/domain/ErrorCodes.ts"
import { openApiDocument } from "../../../facade/api/OpenApi.ts"
import { schemaFaultsBy } from "../../fakes/SchemaFaults.ts"
import { documentFaults } from "../../support/ApiDocument.ts"
import type { OperationCall } from "../request/OperationCall.ts"
import type { Operation } from "../request/Operations.ts"
import { type Exchange, trpcItems, type Violation } from "./Exchange.ts"

/** Where an absolute target goes, its host says nothing. */
const pathOf = (path: string): string => path.replace(/^https?:\/\/[^/]*/, "")

// Node strips the body of an answer to HEAD, unless it could not read the request and nobody knows its method.
const methodOf = ({ answer, request: { method } }: Exchange): string =>
  method === "HEAD" && answer.text !== "" ? "" : method

const documented = (exchange: Exchange): ReadonlyArray<string> =>
  documentFaults({ method: methodOf(exchange), path: pathOf(exchange.request.path) }, exchange.answer)

/** 501 and 503 belong to one situation each; anything else from 500 on is a fault of ours. Contract: 7. */
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
  // A call of tRPC has its status twice: its own, and that of the answer.
  const isTold = items.some((item) => item.status === status)
  return [...(isTold ? [] : [own]), ...items].flatMap(({ code, status }) =>
    isUnexpectedServerError(status, code) ? [`it failed with ${status} ${code ?? ""}`] : []
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
    ...(details === undefined || Predicate.isObject(details) ? [] : ["details are no object"]),
    ...(typeof message === "string" && message !== "" ? [] : ["there is no message"])
  ]
}

const idFault = (id: unknown, { answer }: Exchange): ReadonlyArray<string> =>
  id === answer.headers.get("x-request-id") ? [] : ["request_id is not that of the header"]

/** The one envelope. Contract: 2.1. */
const envelope = (exchange: Exchange): ReadonlyArray<string> => {
  const { body, status } = exchange.answer
  if (body === undefined) return []
  const well = status === 200 || status === 201
  return [
    ...(body?.success === well ? [] : [`success is ${body?.success} with ${status}`]),
    ...idFault(body?.request_id, exchange),
    ...(well ? [] : errorFaults(body?.error, status))
  ]
}

const faultsBy = schemaFaultsBy(openApiDocument("/"))

/** Where the document says what an operation tells. */
const placeOf = ({ method, path, statuses }: Operation): ReadonlyArray<string> => {
  const done = String(statuses.find((status) => status === 200 || status === 201))
  const response = ["paths", path, method.toLowerCase(), "responses", done]
  return [...response, "content", "application/json", "schema", "properties", "data"]
}

/** What tRPC tells is what REST tells. A file it does not have: its callers are told something else. */
const dataFaults = ({ operation }: OperationCall, data: unknown): ReadonlyArray<string> =>
  operation.name === "segurosDocumento" ? [] : faultsBy(placeOf(operation), data)

const trpcShape = (exchange: Exchange): ReadonlyArray<string> => {
  const items = trpcItems(exchange)
  const expected = exchange.filled.length
  if (items.length !== expected) return [`${items.length} answers to ${expected} calls`]
  return items.flatMap(({ error, result }, index) => {
    if (error === undefined) {
      const filled = exchange.filled[index]
      if (result === undefined || filled === undefined) return ["there is neither result nor error"]
      return dataFaults(filled, result.data)
    }
    const { error: told, httpStatus = 0, request_id } = error.data ?? {}
    return [...errorFaults(told, httpStatus), ...idFault(request_id, exchange)]
  })
}

// What Node's parser refuses has the envelope wherever it was to go.
const isRest = ({ answer: { body }, request: { path } }: Exchange): boolean =>
  Predicate.hasProperty(body, "success") || !/^\/trpc(\/|$)/.test(pathOf(path))

const violationsOf = (law: string, faults: ReadonlyArray<string>): ReadonlyArray<Violation> =>
  faults.map((what) => ({ law, what }))

/** What is wrong with the form of an answer, whatever it says. */
export const formFaults = (exchange: Exchange): ReadonlyArray<Violation> => [
  ...violationsOf("no failure of ours", serverErrors(exchange)),
  ...violationsOf("every answer is within the document", documented(exchange)),
  ...violationsOf("every answer has the headers of all", headers(exchange)),
  ...(isRest(exchange) ? violationsOf("every answer has the envelope", envelope(exchange)) : []),
  ...(!isRest(exchange) && exchange.plain ? violationsOf("every call of tRPC has its answer", trpcShape(exchange)) : [])
]
