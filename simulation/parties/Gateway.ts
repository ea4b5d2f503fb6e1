import { SmsAnswer } from "../../core/domain/Sms.ts"
import type { SmsGateway } from "../../core/ports/SmsGateway.ts"
import { Chance } from "../../tools/Chance.ts"
import { calling } from "../engine/Call.ts"
import type { GroundTruth } from "../engine/GroundTruth.ts"
import type { Incarnation } from "../engine/Incarnation.ts"
import type { Sim } from "../engine/Sim.ts"
import { tell } from "./Party.ts"

/** Whoever reads what phones receive. */
export type Inbox = Map<string, string>

/** A gateway as one process meets it. It brings a message to its phone as soon as it has it. */
export const gatewayFor = (sim: Sim, incarnation: Incarnation, messages: GroundTruth, inbox: Inbox): SmsGateway => {
  // Some gateways know a message that comes twice.
  const idempotent = new Chance(sim.seed, "gateway").happens(0.5)
  return {
    idempotent,
    send: ({ id, text, to }) =>
      calling(sim, incarnation, "send", id, (call) => {
        const willDo = new Chance(sim.seed, `brings ${id}`).happens(0.95)
        return tell<SmsAnswer>(sim, call, messages, {
          name: id,
          willDo,
          forgetful: !idempotent,
          words: {
            done: SmsAnswer.Sent({ reference: `SM-${id}` }),
            refused: SmsAnswer.Rejected({ reason: "no such phone" }),
            unfirm: SmsAnswer.Unknown({ reason: "no word" }),
            notSent: SmsAnswer.NotSent({ reason: "busy" })
          },
          arrives: () => {
            if (willDo) inbox.set(to, text)
          }
        })
      })
  }
}
