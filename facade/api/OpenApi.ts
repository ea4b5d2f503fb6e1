import type { HttpOptionsShape } from "./Call.ts"
import { errorsPath } from "./Envelope.ts"
import { infoOf, tags } from "./Introduction.ts"
import { componentsOf, enumerations, type JsonSchema } from "./JsonSchema.ts"
import { errorNamesOf, errorResponses, errorSchemas, exampleComponents, failureSchemas } from "./OpenApiErrors.ts"
import { requestBodies, requestOf, requestSchemas } from "./OpenApiRequests.ts"
import { headerComponents, responseHeaders, successResponse, successSchemas } from "./OpenApiResponses.ts"
import { webhookRequests } from "./OpenApiWebhooks.ts"
import type { Procedure } from "./Procedure.ts"
import { type Endpoint, endpoints, operationIdOf } from "./Procedures.ts"

const describedGate = ({ gate: { permission }, meta: { description } }: Procedure): string =>
  [
    ...(description === undefined ? [] : [description]),
    permission === null ? "No necesita credenciales." : `Permiso: ${permission}.`
  ].join(" ")

const securityOf = ({ gate: { permission } }: Procedure) =>
  permission === null ? [] : [{ Bearer: [] }, { ApiKey: [], ApiSecret: [] }]

const refToResponse = (component: string) => ({ $ref: `#/components/responses/${component}` })

const successName = (endpoint: Endpoint): string =>
  `${operationIdOf(endpoint)}_${endpoint.procedure.meta.status ?? 200}`

const operationOf = (endpoint: Endpoint) => {
  const { procedure } = endpoint
  const { cached, status = 200 } = procedure.meta
  return {
    ...requestOf(endpoint),
    description: describedGate(procedure),
    security: securityOf(procedure),
    responses: {
      [status]: refToResponse(successName(endpoint)),
      ...(cached && { 304: refToResponse("NoHaCambiado") }),
      ...Object.fromEntries(errorNamesOf(endpoint).map(([failed, name]) => [failed, refToResponse(name)]))
    }
  }
}

// Aliases keep working for clients that use them. `deprecated` tells generators and readers to prefer the main path.
const aliasOf = (endpoint: Endpoint, number: number) => ({
  operationId: `${operationIdOf(endpoint)}Alias${number}`,
  summary: `${endpoint.procedure.meta.summary} (alias de ${endpoint.procedure.meta.path})`,
  deprecated: true,
  // The console shows each operation only under its main path, and not again under an alias.
  "x-scalar-ignore": true
})

const paths = () => {
  const all: Record<string, Record<string, object>> = {}
  for (const endpoint of endpoints) {
    const operation = operationOf(endpoint)
    endpoint.paths.forEach((path, index) => {
      const aliased = index > 0 && aliasOf(endpoint, index)
      all[path] = { ...all[path], [endpoint.method.toLowerCase()]: { ...operation, ...aliased } }
    })
  }
  return all
}

const successResponses = () =>
  Object.fromEntries(endpoints.map((endpoint) => [successName(endpoint), successResponse(endpoint)]))

const notChanged = { description: "No ha cambiado.", headers: responseHeaders({ status: 304, cached: true }) }

const outputSchemas = (): Readonly<Record<string, JsonSchema>> =>
  Object.assign({}, ...endpoints.map(({ procedure }) => componentsOf(procedure.output)))

const securitySchemes = {
  Bearer: {
    type: "http",
    scheme: "bearer",
    description:
      "api_key y api_secret separados por un punto. Si envía también el otro par de cabeceras, tiene que llevar las mismas credenciales."
  },
  ApiKey: { type: "apiKey", in: "header", name: "X-Api-Key", description: "Se envía junto a X-Api-Secret." },
  ApiSecret: { type: "apiKey", in: "header", name: "X-Api-Secret", description: "Se envía junto a X-Api-Key." }
} as const

/** The OpenAPI 3.1 document with all endpoints. */
export const openApiDocument = ({ publicUrl, supportEmail }: Pick<HttpOptionsShape, "publicUrl" | "supportEmail">) => ({
  openapi: "3.1.0",
  info: infoOf(supportEmail),
  servers: [
    { url: publicUrl ?? "/", description: "Pruebas y producción: la empresa del token determina el ambiente." }
  ],
  // The address of external documentation must be absolute. The introduction links to the same page in any case.
  ...(publicUrl !== null && {
    externalDocs: { description: "Qué hacer ante cada error", url: `${publicUrl}${errorsPath}` }
  }),
  tags,
  paths: paths(),
  webhooks: webhookRequests,
  components: {
    securitySchemes,
    schemas: {
      ...errorSchemas,
      ...failureSchemas,
      ...enumerations,
      ...requestSchemas,
      ...outputSchemas(),
      ...successSchemas
    },
    requestBodies,
    responses: { ...successResponses(), NoHaCambiado: notChanged, ...errorResponses },
    examples: exampleComponents,
    headers: headerComponents
  }
})
