import type { ErrorCode } from "../../core/domain/ErrorCodes.ts"

const integer = { type: "integer" }
const string = { type: "string" }

/** The headers of answers, each described once; `required` are those that an answer which declares them always has. */
export const headerComponents = {
  "X-Request-Id": {
    description: "Identifica esta llamada.",
    required: true,
    schema: { type: "string", format: "uuid" }
  },
  "X-RateLimit-Limit": { description: "Llamadas por minuto.", required: true, schema: integer },
  "X-RateLimit-Remaining": { description: "Llamadas que quedan en este minuto.", required: true, schema: integer },
  "X-RateLimit-Reset": { description: "Segundos Unix en que termina el minuto.", required: true, schema: integer },
  RateLimit: { description: "Lo mismo, según el borrador de la IETF.", required: true, schema: string },
  "RateLimit-Policy": { description: "La política, según el borrador de la IETF.", required: true, schema: string },
  "Idempotent-Replay": { description: "true cuando se repite la respuesta original.", schema: { const: "true" } },
  "Retry-After": { description: "Segundos que conviene esperar.", schema: integer },
  Link: { description: 'La página que explica el código, con rel="help".', required: true, schema: string },
  Location: { description: "Dónde consultar la transacción.", required: true, schema: string },
  ETag: { description: "Validador débil de data, para If-None-Match.", required: true, schema: string },
  "Content-Disposition": { description: "De un archivo: su nombre, y si se muestra o se guarda.", schema: string },
  "WWW-Authenticate": {
    description: "La forma recomendada de las credenciales.",
    required: true,
    schema: string
  }
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
  "SERVICE_UNAVAILABLE",
  "SEGUROS_NO_DISPONIBLE"
])

interface Answered {
  readonly status: number
  readonly errors?: ReadonlyArray<ErrorCode>
  readonly cached?: boolean | undefined
  readonly replays?: boolean
  /** Whether it is a file. */
  readonly file?: "always" | "sometimes" | undefined
}

// Described at its own place it may be required there, and elsewhere not.
const always = (name: "Content-Disposition" | "Retry-After") => ({
  [name]: { ...headerComponents[name], required: true }
})

/** The headers of an answer. */
export const responseHeaders = ({ cached, errors = [], file, replays, status }: Answered) => {
  const names: ReadonlyArray<Header> = [
    ...everywhere,
    ...(errors.length > 0 ? (["Link"] as const) : []),
    ...(errors.some((code) => retried.has(code)) ? (["Retry-After"] as const) : []),
    ...(status === 202 ? (["Location"] as const) : []),
    ...(status === 401 ? (["WWW-Authenticate"] as const) : []),
    ...(cached ? (["ETag"] as const) : []),
    ...(replays ? (["Idempotent-Replay"] as const) : []),
    ...(file ? (["Content-Disposition"] as const) : [])
  ]
  return {
    ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(errors.length > 0 && errors.every((code) => retried.has(code)) && always("Retry-After")),
    ...(file === "always" && always("Content-Disposition"))
  }
}
