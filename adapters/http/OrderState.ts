import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { Answer, type Delivery } from "../../core/domain/Sale.ts"
import { GatewayReply } from "./GatewayReply.ts"

/** How an order stands: what its dispatch and every later question may be answered with. */
export type OrderState<Proof = Delivery> = Extract<StatusAnswer<Proof>, Answer<Proof>>

/** What a gateway's answer to a dispatch means. Contract: 3.1. */
export const dispatchAnswer = <Proof>(reply: GatewayReply<OrderState<Proof>>): Answer<Proof> =>
  GatewayReply.$match(reply, {
    Answered: ({ answer }): Answer<Proof> => answer,
    NotDone: () => Answer.NotSent(),
    NotFound: () => Answer.Unknown(),
    Unknown: () => Answer.Unknown()
  })

/** What its answer to a later question means. One that it did not take says nothing of the order. */
export const statusAnswer = <Proof>(reply: GatewayReply<OrderState<Proof>>): StatusAnswer<Proof> =>
  GatewayReply.$match(reply, {
    Answered: ({ answer }): StatusAnswer<Proof> => answer,
    NotDone: () => StatusAnswer.NotAsked(),
    NotFound: () => StatusAnswer.NotFound(),
    Unknown: () => StatusAnswer.Unknown()
  })
