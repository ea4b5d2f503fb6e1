import { openApiDocument } from "../../facade/api/OpenApi.ts"
import { schemaFaultsBy } from "../fakes/SchemaFaults.ts"
import { inlineReferences } from "./InlineReferences.ts"

/** A response of the API, of any status. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of any response
  readonly body: any
}

interface Header {
  readonly required?: boolean
  readonly schema: { readonly type?: string }
}

interface Response {
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, object>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Record<string, Response> }>>>>
  readonly components: {
    readonly headers: Readonly<Record<string, Header>>
    readonly responses: Readonly<Record<string, Response>>
  }
}

/** The OpenAPI document of a public deployment, as a client parses it. */
export const apiDocument = JSON.parse(
  JSON.stringify(openApiDocument({ publicUrl: "https://api.saldo.test", supportEmail: "soporte@saldo.test" }))
)

/** The same document without references. */
export const inlinedApiDocument = inlineReferences(apiDocument)

const { components, paths }: Document = inlinedApiDocument

const faultsBy = schemaFaultsBy(inlinedApiDocument)

const errorSchema = ["components", "schemas", "Error"]

const matches = (template: string, path: string): boolean => {
  const given = path.split("/")
  const wanted = template.split("/")
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith("{") ? given[index] !== "" : part === given[index]))
  )
}

/**
 * Whether the path is a tRPC path, the document itself or a documentation page. The document does not list these paths.
 */
const isUndocumentedPath = (path: string): boolean => /^\/(trpc|docs|v1\/openapi\.json)(\/|$)/.test(path)

/**
 * Whether Node's HTTP parser rejected the request, perhaps before the parser had read a path. Above the rate limit, a
 * rejected request receives 429 for any method.
 */
const isRefusedByParser = ({ body }: ApiResponse): boolean => {
  const { body: ofBody, headers } = body?.error?.details ?? {}
  return headers !== undefined || ofBody === "incompleto"
}

const headerFaults = (declared: NonNullable<Response["headers"]>, { headers }: ApiResponse): ReadonlyArray<string> =>
  Object.entries(components.headers).flatMap(([name, component]) => {
    const value = headers.get(name)
    const header = declared[name]
    if (header === undefined) return value === null ? [] : [`${name} is not declared`]
    if (value === null) return header.required === true ? [`${name} is missing`] : []
    const read = component.schema.type === "integer" ? Number(value) : value
    return faultsBy(["components", "headers", name, "schema"], read)
  })

/** Headers of the response 413 to a body that is too large. Every operation may return this response. */
const ofAnyBody = components.responses["VALIDATION_ERROR_413"]?.headers ?? {}

const bodyFaults = (
  { content }: Response,
  place: ReadonlyArray<string>,
  bodiless: boolean,
  { body, headers, text }: ApiResponse
): ReadonlyArray<string> => {
  if (bodiless || content === undefined) return text === "" ? [] : ["there is a body"]
  const type = headers.get("content-type")?.split(";")[0] ?? "no type at all"
  if (content[type] === undefined) return [`a body of ${type} is not declared`]
  return type === "application/json" ? faultsBy([...place, "content", type, "schema"], body) : []
}

/**
 * The ways in which a response violates the OpenAPI document: by its operation, status, headers or body. If no documented
 * operation matches the request, the response must be 404 or 429 with the error envelope. Responses to paths that the
 * document leaves out are not checked.
 */
export const documentFaults = (
  { method, path }: { readonly method: string; readonly path: string },
  answer: ApiResponse
): ReadonlyArray<string> => {
  if (isUndocumentedPath(path)) return []
  const { body, headers, status } = answer
  const bodiless = method === "HEAD"
  if (body !== undefined && headers.get("x-request-id") !== body.request_id) return ["X-Request-Id differs"]
  if (isRefusedByParser(answer)) return [...headerFaults(ofAnyBody, answer), ...faultsBy(errorSchema, body)]
  if (method === "OPTIONS" && status === 429) return faultsBy(errorSchema, body)
  if (method === "OPTIONS") return status === 204 && answer.text === "" ? [] : ["a preflight is 204"]

  // HTTP methods are case-sensitive, so a method in lower case is unknown.
  const verb = bodiless ? "get" : /[a-z]/.test(method) ? "" : method.toLowerCase()
  const template = Object.keys(paths).find((known) => matches(known, path) && paths[known]?.[verb] !== undefined)
  if (template === undefined) {
    return status === 404 || status === 429
      ? bodiless
        ? []
        : faultsBy(errorSchema, body)
      : ["the path is not declared"]
  }
  const response = paths[template]?.[verb]?.responses[status]
  if (response === undefined) return ["the status is not declared"]
  const place = ["paths", template, verb, "responses", String(status)]
  return [...headerFaults(response.headers ?? {}, answer), ...bodyFaults(response, place, bodiless, answer)]
}
