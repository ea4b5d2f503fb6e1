import { Effect } from "effect"
import { DeliveryAnswer, SmsAnswer } from "../../../core/domain/Sms.ts"
import type { SmsGateway } from "../../../core/ports/SmsGateway.ts"
import { SeededRandom } from "../../support/SeededRandom.ts"
import type { Incarnation } from "../engine/EventLoop.ts"
import type { GroundTruth } from "../engine/GroundTruth.ts"
import { callOutside } from "../engine/OutsideCall.ts"
import type { Simulation } from "../engine/Simulation.ts"
import { placeOrder } from "./ExternalService.ts"

/** The latest SMS that each phone received. */
export type Inbox = Map<string, string>

/** The SMS gateway of one process. It delivers a message to the phone immediately. */
export const gatewayFor = (
  sim: Simulation,
  incarnation: Incarnation,
  messages: GroundTruth,
  inbox: Inbox
): SmsGateway => {
  // In half of the runs, the gateway recognises a repeated message.
  const idempotent = new SeededRandom(sim.seed, "gateway").happens(0.5)
  return {
    idempotent,
    send: ({ id, text, to }) =>
      callOutside(sim, incarnation, "send", id, (call) => {
        const accepts = new SeededRandom(sim.seed, `brings ${id}`).happens(0.95)
        return placeOrder<SmsAnswer>(sim, call, messages, {
          name: id,
          accepts,
          repeats: !idempotent,
          words: {
            done: SmsAnswer.Sent({ reference: `SM-${id}` }),
            refused: SmsAnswer.Rejected({ reason: "no such phone" }),
            unfirm: SmsAnswer.Unknown({ reason: "no response" }),
            notSent: SmsAnswer.NotSent({ reason: "busy" })
          },
          arrives: () => {
            if (accepts) inbox.set(to, text)
          }
        })
      }),
    // Saldo never asks this gateway about a delivery, because no answer of the gateway calls a message traceable.
    delivery: () => Effect.succeed(DeliveryAnswer.Open())
  }
}
