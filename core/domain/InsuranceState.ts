import { Schema } from "effect"

/** State of an insurance. Contract: 3.3. */
export const InsuranceState = Schema.Literals([
  "iniciada",
  "otp_enviado",
  "otp_validado",
  "plan_confirmado",
  "cotizado",
  "cobrando",
  "emitiendo",
  "emitida",
  "fallida"
])
export type InsuranceState = typeof InsuranceState.Type
