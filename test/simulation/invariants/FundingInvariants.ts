import { DateTime } from "effect"
import type { FundingProposal } from "../../../core/domain/FundingProposal.ts"
import type { Confirmation } from "../../../core/domain/OperatorErrors.ts"
import { reportViolation, type Simulation } from "../engine/Simulation.ts"

/**
 * Checks that a single operator cannot move money by a proposal, and that each proposal is decided once, before it
 * expires.
 */
export interface FundingChecks {
  readonly proposed: (number: number, proposal: Pick<FundingProposal, "proposedBy" | "expiresAt">) => void
  readonly confirmed: (number: number, confirmation: Confirmation) => void
  readonly rejected: (number: number, operator: string) => void
}

export const checkFunding = (sim: Simulation): FundingChecks => {
  const proposals = new Map<number, Pick<FundingProposal, "proposedBy" | "expiresAt">>()
  const decided = new Map<number, string>()
  const decide = (number: number, decision: string) => {
    const before = decided.get(number)
    decided.set(number, decision)
    if (before !== undefined)
      reportViolation(sim, "a proposal is decided once", `proposal ${number} is ${before}, and then ${decision}`)
  }
  return {
    proposed: (number, proposal) => void proposals.set(number, proposal),
    confirmed: (number, { at, by }) => {
      decide(number, `confirmed by ${by}`)
      const proposal = proposals.get(number)
      if (proposal === undefined) return
      if (proposal.proposedBy === by)
        reportViolation(sim, "proposer and confirmer differ", `${by} proposed and confirmed proposal ${number}`)
      if (DateTime.isGreaterThanOrEqualTo(at, proposal.expiresAt))
        reportViolation(
          sim,
          "an expired proposal moves no money",
          `proposal ${number} expired at ${DateTime.formatIso(proposal.expiresAt)}, and was confirmed at ${DateTime.formatIso(at)}`
        )
    },
    rejected: (number, operator) => decide(number, `rejected by ${operator}`)
  }
}
