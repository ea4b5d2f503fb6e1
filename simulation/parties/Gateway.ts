import { SmsAnswer } from "../../core/domain/Sms.ts"
import type { SmsGateway } from "../../core/ports/SmsGateway.ts"
import { Chance } from "../../tools/Chance.ts"
import { calling } from "../engine/Call.ts"
import type { GroundTruth } from "../engine/GroundTruth.ts"
import type { Incarnation } from "../engine/Incarnation.ts"
import type { Sim } from "../engine/Sim.ts"
import { tell } from "./Party.ts"

/** The latest SMS on each phone. */
export type Inbox = Map<string, string>

/** The SMS gateway of one process. It delivers a message to the phone at once. */
export const gatewayFor = (sim: Sim, incarnation: Incarnation, messages: GroundTruth, inbox: Inbox): SmsGateway => {
  // In half of the runs, the gateway recognises a repeated message.
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
