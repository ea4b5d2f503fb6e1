import { Effect, Schema } from "effect"
import { HttpOptions } from "./Call.ts"
import { open } from "./Gate.ts"
import { input } from "./Input.ts"
import { Currency, currency } from "./Output.ts"
import { query } from "./Procedure.ts"

const apiVersion = "v1"
const timezone = "America/Santo_Domingo"

const State = Schema.Struct({ status: Schema.Literal("ok") }).annotate({ identifier: "Estado" })

const Info = Schema.Struct({
  application: Schema.String,
  api_version: Schema.Literal(apiVersion),
  environment: Schema.String,
  documentation: Schema.String,
  currency: Currency,
  timezone: Schema.Literal(timezone)
}).annotate({ identifier: "Informacion" })

/** The state of the service. Contract: 4.1. */
export const estado = query({
  gate: open,
  input: input({}),
  output: State,
  meta: {
    path: "/v1/estado",
    aliases: ["/v1/health"],
    summary: "Estado del servicio",
    tag: "Sistema",
    message: "Servicio en línea.",
    example: { data: { status: "ok" } }
  },
  handle: () => Effect.succeed({ status: "ok" as const })
})

/** The facts about the service. Contract: 4.1. */
export const info = query({
  gate: open,
  input: input({}),
  output: Info,
  meta: {
    path: "/v1/info",
    summary: "Datos del servicio",
    tag: "Sistema",
    message: "Información del servicio.",
    example: {
      data: {
        application: "Saldo",
        api_version: apiVersion,
        environment: "production",
        documentation: "https://api.example.com/docs",
        currency,
        timezone
      }
    }
  },
  handle: ({ call }) =>
    HttpOptions.useSync(({ environment }): typeof Info.Type => ({
      application: "Saldo",
      api_version: apiVersion,
      environment,
      documentation: `${call.baseUrl()}/docs`,
      currency,
      timezone
    }))
})
