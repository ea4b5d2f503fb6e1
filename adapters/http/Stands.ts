import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { Answer, type Delivery } from "../../core/domain/Sale.ts"
import { Heard } from "./Heard.ts"

/** How an order stands: what its dispatch and every later question may be answered with. */
export type Stands<Proof = Delivery> = Extract<StatusAnswer<Proof>, Answer<Proof>>

/** What a gateway's answer to a dispatch means. Contract: 3.1. */
export const dispatched = <Proof>(heard: Heard<Stands<Proof>>): Answer<Proof> =>
  Heard.$match(heard, {
    Answered: ({ answer }): Answer<Proof> => answer,
    NotDone: () => Answer.NotSent(),
    NotFound: () => Answer.Unknown(),
    Unknown: () => Answer.Unknown()
  })

/** What its answer to a later question means. One that it did not take says nothing of the order. */
export const askedAbout = <Proof>(heard: Heard<Stands<Proof>>): StatusAnswer<Proof> =>
  Heard.$match(heard, {
    Answered: ({ answer }): StatusAnswer<Proof> => answer,
    NotDone: () => StatusAnswer.NotAsked(),
    NotFound: () => StatusAnswer.NotFound(),
    Unknown: () => StatusAnswer.Unknown()
  })
