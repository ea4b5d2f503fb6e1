import { randomUUID } from "node:crypto"
import { type Endpoint, endpoints } from "../../../facade/rest/Endpoint.ts"
import { documentOf, type JsonSchema } from "../../../facade/wire/Document.ts"
import { keyField } from "../../../facade/wire/Input.ts"
import { call } from "./HttpCalls.ts"

/** An endpoint at one of its paths; the place of a parameter is taken by `1`. */
export interface EndpointPath {
  readonly endpoint: Endpoint
  readonly method: string
  readonly path: string
}

/** Every endpoint of the router, at each of its paths. */
export const endpointPaths: ReadonlyArray<EndpointPath> = endpoints.flatMap((endpoint) =>
  endpoint.paths.map((path) => ({
    endpoint,
    method: endpoint.meta.openapi.method,
    path: path.replace(/\{\w+\}/g, "1")
  }))
)

/** Those that need credentials, and which permission. */
export const guardedPaths = endpointPaths.flatMap((door) => {
  const { callers } = door.endpoint.meta.gate
  return callers._tag === "Permitted" ? [{ ...door, permission: callers.permission }] : []
})

/** Those that take a body. */
export const writingPaths = endpointPaths.filter(({ endpoint }) => endpoint.type === "mutation")

/** What an endpoint reads from its body or its query, and how the document shows each. */
export const fieldsOf = ({ endpoint }: EndpointPath): ReadonlyArray<readonly [name: string, document: JsonSchema]> => {
  const { input, meta } = endpoint
  return Object.entries(input.schema.fields).flatMap(([name, field]) =>
    meta.openapi.path.includes(`{${name}}`) || (input.takesKey && name === keyField) ? [] : [[name, documentOf(field)]]
  )
}

/** What the document shows as an example of a body. */
export const exampleBody = ({ endpoint }: EndpointPath): object => Object(endpoint.meta.example?.request ?? {})

const keyFor = ({ endpoint }: EndpointPath): Record<string, string> =>
  endpoint.input.takesKey ? { "idempotency-key": randomUUID() } : {}

const isRaw = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === "string" || body instanceof Uint8Array

/** Calls an endpoint; with the example's body, if it takes one, unless told otherwise. */
export const callEndpoint = (
  door: EndpointPath,
  headers: Record<string, string>,
  body: unknown = exampleBody(door)
) => {
  const { method, path } = door
  if (door.endpoint.type === "query") return call(path, { method, headers })
  const all = { "content-type": "application/json", ...keyFor(door), ...headers }
  return call(path, { method, headers: all, body: isRaw(body) ? body : JSON.stringify(body) })
}
