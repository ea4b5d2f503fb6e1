import { randomUUID } from "node:crypto"
import { keyField } from "../../../facade/api/Input.ts"
import { documentOf, type JsonSchema } from "../../../facade/api/JsonSchema.ts"
import { type Endpoint, endpoints } from "../../../facade/api/Procedures.ts"
import { call } from "./HttpCalls.ts"

/** A path with a value in place of each parameter: a day for `dia`, else 1. */
export const withValues = (template: string): string =>
  template.replaceAll("{dia}", "2026-01-31").replace(/\{\w+\}/g, "1")

/** One path of an endpoint, with values in place of its parameters. */
export interface EndpointPath {
  readonly endpoint: Endpoint
  readonly method: string
  readonly path: string
}

/** Every path of every endpoint. */
export const endpointPaths: ReadonlyArray<EndpointPath> = endpoints.flatMap((endpoint) =>
  endpoint.paths.map((path) => ({
    endpoint,
    method: endpoint.method,
    path: withValues(path)
  }))
)

/** The first path of every endpoint. The other paths are its aliases, which lead to the same procedure. */
export const firstPaths = endpointPaths.filter(({ endpoint, path }) => path === withValues(endpoint.paths[0] ?? ""))

/** Paths that require credentials, each with the permission that it requires. */
export const guardedPaths = endpointPaths.flatMap((door) => {
  const { permission } = door.endpoint.procedure.gate
  return permission === null ? [] : [{ ...door, permission }]
})

/** Whether a path takes a request body. */
export const isWriting = ({ endpoint }: EndpointPath): boolean => endpoint.procedure.type === "mutation"

/** Paths that take a request body. */
export const writingPaths = endpointPaths.filter(isWriting)

/** The fields that an endpoint reads from its body or query, each with its JSON Schema. */
export const fieldsOf = ({ endpoint }: EndpointPath): ReadonlyArray<readonly [name: string, document: JsonSchema]> => {
  const { input, meta } = endpoint.procedure
  return Object.entries(input.schema.fields).flatMap(([name, field]) =>
    meta.path.includes(`{${name}}`) || (input.takesKey && name === keyField) ? [] : [[name, documentOf(field)]]
  )
}

/** The request body that the documentation shows as an example. */
export const exampleBody = ({ endpoint }: EndpointPath): object => {
  const { request, requests = {} } = endpoint.procedure.meta.example ?? {}
  return Object(request ?? Object.values(requests)[0] ?? {})
}

const keyFor = ({ endpoint }: EndpointPath): Record<string, string> =>
  endpoint.procedure.input.takesKey ? { "idempotency-key": randomUUID() } : {}

const isRaw = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === "string" || body instanceof Uint8Array

/** Calls an endpoint. The default body is the example from the documentation. */
export const callEndpoint = (
  door: EndpointPath,
  headers: Record<string, string>,
  body: unknown = exampleBody(door)
) => {
  const { method, path } = door
  if (door.endpoint.procedure.type === "query") return call(path, { method, headers })
  const all = { "content-type": "application/json", ...keyFor(door), ...headers }
  return call(path, { method, headers: all, body: isRaw(body) ? body : JSON.stringify(body) })
}
