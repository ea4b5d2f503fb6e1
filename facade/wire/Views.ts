import { Schema } from "effect"

/** Pesos: a JSON number with at most 2 decimals. */
export const Pesos = Schema.Finite.annotate({ description: "Pesos dominicanos (DOP)." })

export const LocalTimestamp = Schema.String.annotate({
  description: "Hora de America/Santo_Domingo.",
  examples: ["2026-01-31 14:05:09"]
})

/** The part of a service that a sale shows. */
export const ServiceName = Schema.Struct({ id: Schema.Int, nombre: Schema.String }).annotate({
  identifier: "ServicioVendido"
})

export const currency = "DOP"
export const Currency = Schema.Literal(currency)
