import { StatusAnswer } from "../../core/domain/Recovery.ts"
import { Answer } from "../../core/ports/Provider.ts"
import { Heard } from "./Heard.ts"

/** How an order stands: what its dispatch and every later question may be answered with. */
export type Stands = Extract<StatusAnswer, Answer>

/** What a gateway's answer to a dispatch means. Contract: 3.1. */
export const dispatched = (heard: Heard<Stands>): Answer =>
  Heard.$match(heard, {
    Answered: ({ answer }): Answer => answer,
    NotDone: () => Answer.NotSent(),
    NotFound: () => Answer.Unknown(),
    Unknown: () => Answer.Unknown()
  })

/** What its answer to a later question means. One that it did not take says nothing of the order. */
export const askedAbout = (heard: Heard<Stands>): StatusAnswer =>
  Heard.$match(heard, {
    Answered: ({ answer }): StatusAnswer => answer,
    NotDone: () => StatusAnswer.NotAsked(),
    NotFound: () => StatusAnswer.NotFound(),
    Unknown: () => StatusAnswer.Unknown()
  })
