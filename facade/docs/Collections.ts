import { Redacted } from "effect"
import type { HttpOptionsShape } from "../api/Call.ts"
import { keyHeader } from "../api/Input.ts"
import { componentName } from "../api/JsonSchema.ts"
import type { openApiDocument } from "../api/OpenApi.ts"

/** The parts of the OpenAPI document from which the example requests are made. */
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly requestBodies: Readonly<Record<string, RequestBody>>
    readonly schemas: Readonly<Record<string, ValueSchema>>
  }
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: ReadonlyArray<string>
  readonly deprecated?: boolean
  readonly security: ReadonlyArray<object>
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: object
}

interface ValueSchema {
  readonly $ref?: string
  readonly default?: unknown
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly examples?: ReadonlyArray<unknown>
}

interface Parameter {
  readonly in: "header" | "path" | "query"
  readonly name: string
  readonly required?: boolean
  readonly schema: ValueSchema
}

interface RequestBody {
  readonly content: {
    readonly "application/json": {
      readonly example?: unknown
      readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
    }
  }
}

/** A request with example values. */
interface ExampleRequest {
  readonly folder: string
  readonly name: string
  readonly description: string
  readonly method: string
  readonly path: string
  readonly isPublic: boolean
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: unknown
}

const textOf = ({ schema }: Parameter): string =>
  String(schema.examples?.[0] ?? schema.default ?? schema.enum?.[0] ?? "")

const valuesOf = ({ parameters }: ExampleRequest, place: Parameter["in"]) =>
  parameters.filter((parameter) => parameter.in === place)

/** The example bodies of an operation, each with its name. A single body has no name. Without a body it is undefined. */
const bodiesOf = (body: RequestBody | undefined): ReadonlyArray<readonly [string | null, unknown]> => {
  const { example, examples } = body?.content["application/json"] ?? {}
  return examples === undefined
    ? [[null, example ?? (body && {})]]
    : Object.entries(examples).map(([name, { value }]) => [name, value])
}

type Document = ReturnType<typeof openApiDocument>

/** The example requests of each operation, in the order of the document. Aliases are left out. */
const requestsIn = (document: Document): ReadonlyArray<ExampleRequest> => {
  const { components, paths } = document as unknown as Described
  const resolved = (parameter: Parameter): Parameter => {
    const component = componentName({ ...parameter.schema })
    return { ...parameter, schema: (component && components.schemas[component]) || parameter.schema }
  }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { deprecated = false }]) => !deprecated)
      .flatMap(([method, { description, operationId, parameters = [], requestBody, security, summary, tags }]) =>
        bodiesOf(requestBody && components.requestBodies[operationId]).map(([example, body]) => ({
          folder: tags[0] ?? "",
          name: example === null ? summary : `${summary}: ${example}`,
          description,
          method: method.toUpperCase(),
          path,
          isPublic: security.length === 0,
          parameters: parameters.map(resolved),
          body
        }))
      )
  )
}

interface Target extends Pick<HttpOptionsShape, "sandbox"> {
  readonly baseUrl: string
}

/** Writes a file of example requests for a server. */
export type Collection = (target: Target) => string

/** Variables of the Postman collection and the `.http` file. Without a sandbox, integrators fill in their own credentials. */
const variablesOf = ({ baseUrl, sandbox }: Target) => ({
  base_url: baseUrl,
  api_key: sandbox?.apiKey ?? "",
  api_secret: sandbox === null ? "" : Redacted.value(sandbox.secret)
})

// Both file formats replace this variable with a new UUID each time a request is sent.
const newKey = "{{$guid}}"

const headersOf = (request: ExampleRequest): ReadonlyArray<readonly [string, string]> => [
  ...valuesOf(request, "header")
    .filter(({ required }) => required)
    .map((parameter) => [parameter.name, parameter.name === keyHeader ? newKey : textOf(parameter)] as const),
  ...(request.body === undefined ? [] : [["Content-Type", "application/json"] as const])
]

const bodyOf = ({ body }: ExampleRequest): string => JSON.stringify(body, null, 2)

const postmanRequest = (request: ExampleRequest) => {
  const path = request.path.replaceAll(/\{(\w+)\}/g, ":$1")
  const described = (parameter: Parameter) => ({
    key: parameter.name,
    value: textOf(parameter),
    description: parameter.schema.description ?? ""
  })
  return {
    name: request.name,
    request: {
      method: request.method,
      description: request.description,
      header: headersOf(request).map(([key, value]) => ({ key, value })),
      ...(request.isPublic && { auth: { type: "noauth" } }),
      url: {
        raw: `{{base_url}}${path}`,
        host: ["{{base_url}}"],
        path: path.split("/").slice(1),
        query: valuesOf(request, "query").map((parameter) => ({
          ...described(parameter),
          disabled: parameter.required !== true
        })),
        variable: valuesOf(request, "path").map(described)
      },
      ...(request.body !== undefined && {
        body: { mode: "raw", raw: bodyOf(request), options: { raw: { language: "json" } } }
      })
    }
  }
}

/** The requests as a Postman collection, version 2.1, with a folder for each tag. */
export const postmanCollection = (document: Document): Collection => {
  const requests = Map.groupBy(requestsIn(document), ({ folder }) => folder)
  const item = Array.from(requests, ([name, members]) => ({ name, item: members.map(postmanRequest) }))
  const info = {
    name: "Saldo",
    description: document.info.description,
    schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
  }
  const auth = { type: "bearer", bearer: [{ key: "token", value: "{{api_key}}.{{api_secret}}", type: "string" }] }
  return (target) => {
    const variable = Object.entries(variablesOf(target)).map(([key, value]) => ({ key, value }))
    // Outside this server, a link in a description needs the whole address.
    return JSON.stringify({ info, auth, variable, item }, null, 2).replaceAll("](/", `](${target.baseUrl}/`)
  }
}

const queryText = (request: ExampleRequest): string => {
  const query = valuesOf(request, "query").filter(({ required }) => required)
  return query.length === 0
    ? ""
    : `?${query.map((each) => `${each.name}=${encodeURIComponent(textOf(each))}`).join("&")}`
}

const httpRequest = (request: ExampleRequest): string => {
  const names = new Map(valuesOf(request, "path").map((parameter) => [parameter.name, textOf(parameter)]))
  const path = request.path.replaceAll(/\{(\w+)\}/g, (_, name) => names.get(name) ?? "")
  return [
    `### ${request.folder}: ${request.name}`,
    `${request.method} {{base_url}}${path}${queryText(request)}`,
    ...(request.isPublic ? [] : ["Authorization: Bearer {{api_key}}.{{api_secret}}"]),
    ...headersOf(request).map(([name, value]) => `${name}: ${value}`),
    ...(request.body === undefined ? [] : ["", bodyOf(request)])
  ].join("\n")
}

/** The requests as an `.http` file for Visual Studio, Visual Studio Code and JetBrains. */
export const httpFile = (document: Document): Collection => {
  const requests = requestsIn(document).map(httpRequest)
  return (target) => {
    const variables = Object.entries(variablesOf(target)).map(([name, value]) => `@${name} = ${value}`)
    return `${[variables.join("\n"), ...requests].join("\n\n")}\n`
  }
}
