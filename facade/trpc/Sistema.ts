import { Effect, Schema } from "effect"
import { HttpOptions } from "../call/HttpOptions.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { Currency, currency } from "../wire/Views.ts"
import { answer, open, router } from "./Procedure.ts"

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

/** Contract: 4.1. */
export const sistema = router({
  estado: open
    .meta({
      openapi: { method: "GET", path: "/v1/estado", summary: "Estado del servicio", tags: ["Sistema"] },
      alias: ["/v1/health"],
      message: "Servicio en línea.",
      example: { data: { status: "ok" } }
    })
    .input(input({}))
    .output(output(State))
    .query(answer(() => Effect.succeed<typeof State.Type>({ status: "ok" }))),

  info: open
    .meta({
      openapi: { method: "GET", path: "/v1/info", summary: "Datos del servicio", tags: ["Sistema"] },
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
    })
    .input(input({}))
    .output(output(Info))
    .query(
      answer(({ ctx }) =>
        HttpOptions.useSync(({ environment }): typeof Info.Type => ({
          application: "Saldo",
          api_version: apiVersion,
          environment,
          documentation: `${ctx.baseUrl()}/docs`,
          currency,
          timezone
        }))
      )
    )
})
