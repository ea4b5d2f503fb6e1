import type { ErrorCode } from "../../core/domain/ErrorCatalogue.ts"

const integer = { type: "integer" }
const string = { type: "string" }

/** The headers of answers, each described once. */
export const headerComponents = {
  "X-Request-Id": { description: "Identifica esta llamada.", schema: { type: "string", format: "uuid" } },
  "X-RateLimit-Limit": { description: "Llamadas por minuto.", schema: integer },
  "X-RateLimit-Remaining": { description: "Llamadas que quedan en este minuto.", schema: integer },
  "X-RateLimit-Reset": { description: "Segundos Unix en que termina el minuto.", schema: integer },
  RateLimit: { description: "Lo mismo, según el borrador de la IETF.", schema: string },
  "RateLimit-Policy": { description: "La política, según el borrador de la IETF.", schema: string },
  "Idempotent-Replay": { description: "true cuando se repite la respuesta original.", schema: { const: "true" } },
  "Retry-After": { description: "Segundos que conviene esperar.", schema: integer },
  Location: { description: "Dónde consultar la transacción.", schema: string },
  ETag: { description: "Validador débil de data, para If-None-Match.", schema: string },
  "WWW-Authenticate": { description: "La forma recomendada de las credenciales.", schema: string }
}

type Header = keyof typeof headerComponents

const everywhere: ReadonlyArray<Header> = [
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit",
  "RateLimit-Policy"
]

const retried: ReadonlySet<ErrorCode> = new Set([
  "TRANSACTION_PENDING",
  "RATE_LIMIT_EXCEEDED",
  "IDEMPOTENT_REQUEST_IN_PROGRESS",
  "SERVICE_UNAVAILABLE"
])

/** The headers that an answer with this status and these codes may have. */
export const responseHeaders = (
  status: number,
  errors: ReadonlyArray<ErrorCode>,
  { cached = false, replays = false } = {}
) => {
  const names: ReadonlyArray<Header> = [
    ...everywhere,
    ...(errors.some((code) => retried.has(code)) ? (["Retry-After"] as const) : []),
    ...(status === 202 ? (["Location"] as const) : []),
    ...(status === 401 ? (["WWW-Authenticate"] as const) : []),
    ...(cached ? (["ETag"] as const) : []),
    ...(replays ? (["Idempotent-Replay"] as const) : [])
  ]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
