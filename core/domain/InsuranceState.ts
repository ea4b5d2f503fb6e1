import { Result, Schema, Struct } from "effect"

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

/** The step is not allowed in this state. Nothing changed. Contract: 3.3. */
export class StepOutOfOrder extends Schema.TaggedError<StepOutOfOrder>()("StepOutOfOrder", {
  state: InsuranceState
}) {}

/** Events of an insurance: the buyer's steps and the outcome of the sale. Contract: 4.6. */
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
 * The state table of section 3.3: event and current state give the next state. An event that has no entry for the
 * current state fails with StepOutOfOrder. The database refuses every change that is not in this table.
 */
export const insuranceTransitions = {
  code_sent: { iniciada: "otp_enviado", otp_enviado: "otp_enviado" },
  code_resent: { iniciada: "iniciada", otp_enviado: "otp_enviado" },
  // A correct code proves that the message arrived, even if the gateway reported no delivery.
  code_verified: { iniciada: "otp_validado", otp_enviado: "otp_validado" },
  plans_read: { otp_validado: "otp_validado", plan_confirmado: "plan_confirmado", cotizado: "cotizado" },
  // The buyer may choose another plan until the sale begins. A new choice voids the earlier quote.
  plan_chosen: { otp_validado: "plan_confirmado", plan_confirmado: "plan_confirmado", cotizado: "plan_confirmado" },
  quoted: { plan_confirmado: "cotizado", cotizado: "cotizado" },
  // The transaction that reserves the sale also claims the insurance. The transaction that settles the sale also ends
  // the insurance.
  claimed: { cotizado: "cobrando" },
  issuing: { cobrando: "emitiendo" },
  held: { cobrando: "emitiendo", emitiendo: "emitiendo" },
  issued: { cobrando: "emitida", emitiendo: "emitida" },
  refused: { cobrando: "fallida", emitiendo: "fallida" },
  // The request provably did not reach the insurer, so the quote may be sold again.
  freed: { cobrando: "cotizado", emitiendo: "cotizado" }
} as const satisfies { readonly [_ in InsuranceEvent]: Row }

/** The state after an event, or StepOutOfOrder. */
export const afterEvent = (
  state: InsuranceState,
  event: InsuranceEvent
): Result.Result<InsuranceState, StepOutOfOrder> => {
  const row: Row = insuranceTransitions[event]
  const next = row[state]
  return next === undefined ? Result.fail(new StepOutOfOrder({ state })) : Result.succeed(next)
}

/** The states in which an event is allowed. */
export const statesBefore = (event: InsuranceEvent): ReadonlyArray<InsuranceState> =>
  Struct.keys<Row>(insuranceTransitions[event])
