import { DateTime } from "effect"
import type { Outcome } from "../../core/domain/Sale.ts"
import { broken, type Sim } from "../engine/Sim.ts"
import type { Statuses } from "./Statuses.ts"

/** A purchase and its response. */
interface Heard {
  readonly companyId: number
  readonly key: string
  readonly identifier: string
  /** Null when the option determines the price. */
  readonly centavos: number | null
  readonly outcome: Outcome
  readonly replayed: boolean
}

/** Checks the responses to callers. Each one fits its request, and a repeated key receives the same response. */
export interface Answers {
  readonly heard: (heard: Heard) => void
  /** The response that the database keeps for the key of a sale; null while there is none. */
  readonly kept: (transactionId: number, outcome: Outcome | null) => void
}

const idOf = (outcome: Outcome): number =>
  outcome._tag === "Delivered" ? outcome.order.transactionId : outcome.transactionId

const textOf = (outcome: Outcome): string =>
  JSON.stringify(outcome, (_, value) => (DateTime.isDateTime(value) ? DateTime.formatIso(value) : value))

export const answersLaw = (sim: Sim, statuses: Statuses): Answers => {
  const firm = new Map<number, string>()
  const replays = new Map<number, string>()
  const named = new Map<string, number>()

  const isSame = (known: Map<number, string>, id: number, text: string, whose: string) => {
    const before = known.get(id)
    if (before !== undefined && before !== text)
      broken(sim, "a key answers the same again", `sale ${id}: ${whose} was ${before}, now ${text}`)
    known.set(id, text)
  }

  const isOfKey = (name: string, companyId: number, id: number) => {
    const before = named.get(name)
    named.set(name, id)
    if (before === undefined || before === id) return
    sim.store.look(() => {
      for (const { order, status } of sim.store.eyes.sales(companyId))
        if (order.transactionId === Math.min(before, id) && status !== "FAILED")
          broken(sim, "a key names one sale", `${name} names sales ${before} and ${id}`)
    })
  }

  const fits = ({ centavos, companyId, identifier, outcome }: Heard) =>
    sim.store.look(() => {
      for (const { order } of sim.store.eyes.sales(companyId)) {
        if (order.transactionId !== idOf(outcome)) continue
        const right = order.identifier === identifier && (centavos === null || order.amount === centavos)
        if (!right) broken(sim, "an answer is to what was asked", `sale ${order.transactionId} is another`)
      }
    })

  return {
    kept: (id, outcome) => {
      if (outcome !== null) isSame(replays, id, textOf(outcome), "the replay")
    },
    heard: (heard) => {
      const { companyId, key, outcome, replayed } = heard
      const id = idOf(outcome)
      const text = textOf(outcome)
      isOfKey(`${companyId}/${key}`, companyId, id)
      fits(heard)
      if (replayed) isSame(replays, id, text, "the replay")
      if (outcome._tag === "Pending") return
      isSame(firm, id, text, "the answer")
      statuses.told(id, outcome._tag === "Delivered" ? "delivered" : "refused")
    }
  }
}
