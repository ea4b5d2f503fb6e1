import type { Chance } from "../../tools/Chance.ts"
import { misbehaviours } from "../../tools/fakes/Misbehaviour.ts"
import type { Plan } from "../supplier/Plan.ts"

/** How often of a thousand something comes of what suppliers are told. */
const usual = { done: 740, refused: 60, pending: 5, "turned away": 35, misbehaves: 160 }
const troubled = { done: 300, refused: 0, pending: 0, "turned away": 0, misbehaves: 700 }

/** Now and then the first question about it is met no better. */
const misbehavesAgain = 0.3

/** What becomes of something at its supplier. */
export const troubleOf = (chance: Chance, xid: string, isTroubled: boolean): Plan => {
  const plain: Plan = { xid, decision: null, turnedAway: false, misbehaviours: [] }
  const what = chance.weighted(isTroubled ? troubled : usual)
  switch (what) {
    case "done":
      return plain
    case "refused":
    case "pending":
      return { ...plain, decision: what }
    case "turned away":
      return { ...plain, turnedAway: true }
    case "misbehaves": {
      const first = chance.pick(misbehaviours)
      return {
        ...plain,
        misbehaviours: chance.happens(misbehavesAgain) ? [first, chance.pick(misbehaviours)] : [first]
      }
    }
  }
}
