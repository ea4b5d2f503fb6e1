import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { Answer, type Delivery } from "../../core/domain/Sale.ts"
import { GatewayReply } from "./GatewayReply.ts"

/** The state of an order: the answers that a dispatch and a status query have in common. */
export type OrderState<Proof = Delivery> = Extract<StatusAnswer<Proof>, Answer<Proof>>

/** Interprets a gateway's reply to a dispatch. Contract: 3.1. */
export const dispatchAnswer = <Proof>(reply: GatewayReply<OrderState<Proof>>): Answer<Proof> =>
  GatewayReply.$match(reply, {
    Answered: ({ answer }): Answer<Proof> => answer,
    NotDone: () => Answer.NotSent(),
    NotFound: () => Answer.Unknown(),
    Unknown: () => Answer.Unknown()
  })

/**
 * Interprets a gateway's reply to a status query. A query that the gateway did not process says nothing about the
 * order.
 */
export const statusAnswer = <Proof>(reply: GatewayReply<OrderState<Proof>>): StatusAnswer<Proof> =>
  GatewayReply.$match(reply, {
    Answered: ({ answer }): StatusAnswer<Proof> => answer,
    NotDone: () => StatusAnswer.NotAsked(),
    NotFound: () => StatusAnswer.NotFound(),
    Unknown: () => StatusAnswer.Unknown()
  })
