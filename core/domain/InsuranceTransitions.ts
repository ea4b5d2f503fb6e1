import { Result, Struct } from "effect"
import { StepOutOfOrder } from "./InsuranceErrors.ts"
import type { InsuranceState } from "./InsuranceState.ts"

/** What happens to an insurance: the steps of its buyer, and what becomes of its sale. Contract: 4.6. */
export type InsuranceEvent =
  | "code_sent"
  | "code_resent"
  | "code_verified"
  | "plans_read"
  | "plan_chosen"
  | "quoted"
  | "claimed"
  | "issuing"
  | "held"
  | "issued"
  | "refused"
  | "freed"

type Row = { readonly [From in InsuranceState]?: InsuranceState }

/**
 * The whole of section 3.3: what an event makes of a state. What has no entry is out of order and changes nothing. The
 * database refuses every change of state that is not in here.
 */
export const insuranceTransitions = {
  code_sent: { iniciada: "otp_enviado", otp_enviado: "otp_enviado" },
  code_resent: { iniciada: "iniciada", otp_enviado: "otp_enviado" },
  // Whoever knows the code has received it, also when the gateway never said so.
  code_verified: { iniciada: "otp_validado", otp_enviado: "otp_validado" },
  plans_read: { otp_validado: "otp_validado", plan_confirmado: "plan_confirmado", cotizado: "cotizado" },
  // Another plan may be chosen until the sale; a quote of the one before is void.
  plan_chosen: { otp_validado: "plan_confirmado", plan_confirmado: "plan_confirmado", cotizado: "plan_confirmado" },
  quoted: { plan_confirmado: "cotizado", cotizado: "cotizado" },
  // The sale: claimed with the reservation, settled with it.
  claimed: { cotizado: "cobrando" },
  issuing: { cobrando: "emitiendo" },
  held: { cobrando: "emitiendo", emitiendo: "emitiendo" },
  issued: { cobrando: "emitida", emitiendo: "emitida" },
  refused: { cobrando: "fallida", emitiendo: "fallida" },
  // The insurer was provably never asked, so the quote may be sold again.
  freed: { cobrando: "cotizado", emitiendo: "cotizado" }
} as const satisfies { readonly [_ in InsuranceEvent]: Row }

/** What an event makes of a state. */
export const afterEvent = (
  state: InsuranceState,
  event: InsuranceEvent
): Result.Result<InsuranceState, StepOutOfOrder> => {
  const row: Row = insuranceTransitions[event]
  const next = row[state]
  return next === undefined ? Result.fail(new StepOutOfOrder({ state })) : Result.succeed(next)
}

/** The states in which an event is in order. */
export const statesBefore = (event: InsuranceEvent): ReadonlyArray<InsuranceState> =>
  Struct.keys<Row>(insuranceTransitions[event])
