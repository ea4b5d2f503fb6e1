import type { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { Answer } from "../../../core/domain/Sale.ts"
import type { Misbehaviour } from "../../fakes/FakeServer.ts"

/**
 * What is heard of a gateway of ours that misbehaves when it is told to deliver: at once, when it is asked later, and
 * whether it has delivered.
 *
 * @param delivered what one hears that does not.
 */
export const misheard = <Delivery>(
  delivered: Answer<Delivery>
): ReadonlyArray<readonly [Misbehaviour, Answer<Delivery>, StatusAnswer["_tag"], boolean]> => [
  ["cut before", Answer.Unknown(), "NotFound", false],
  ["cut after", Answer.Unknown(), "Delivered", true],
  ["cut midway", Answer.Unknown(), "Delivered", true],
  ["broken before", Answer.Unknown(), "NotFound", false],
  ["broken after", Answer.Unknown(), "Delivered", true],
  ["garbage", Answer.Unknown(), "Delivered", true],
  ["contradiction", Answer.Unknown(), "Delivered", true],
  ["duplicate", delivered, "Delivered", true],
  ["late", Answer.Unknown(), "Unknown", true],
  ["not found", Answer.Unknown(), "NotFound", false]
]
