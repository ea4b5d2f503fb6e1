import type { Proposal } from "../../core/domain/Resolution.ts"
import type { Order } from "../../core/domain/Sale.ts"
import { broken, type Sim } from "../engine/Sim.ts"

/** Checks that one operator alone moves no money: the operator who proposed a resolution may not confirm it. */
export interface Agreements {
  readonly proposed: (order: Order, proposal: Pick<Proposal, "proposedBy">, number: number) => void
  readonly confirmed: (order: Order, proposal: Pick<Proposal, "number">, operator: string) => void
}

export const agreementsLaw = (sim: Sim): Agreements => {
  const proposers = new Map<string, string>()
  const nameOf = ({ transactionId }: Order, number: number): string => `proposal ${number} about sale ${transactionId}`
  return {
    proposed: (order, { proposedBy }, number) => void proposers.set(nameOf(order, number), proposedBy),
    confirmed: (order, { number }, operator) => {
      const name = nameOf(order, number)
      if (proposers.get(name) === operator)
        broken(sim, "two operators agree", `${name} is confirmed by ${operator}, who made it`)
    }
  }
}
