import { DateTime, Effect, Option } from "effect"
import { owned } from "../../../core/domain/Account.ts"
import type { FundingProposal } from "../../../core/domain/FundingProposal.ts"
import { Amount, type Centavos } from "../../../core/domain/Money.ts"
import { type FundingProposals, FundingProposed } from "../../../core/ports/FundingProposals.ts"
import type { VariantContext } from "../run/Simulate.ts"
import { companyIn, type Mutant, portsMutant, runAfter, runBefore } from "./Mutant.ts"

type Funding = FundingProposals["Service"]

const fundingMutant = (name: string, change: (funding: Funding, bench: VariantContext) => Partial<Funding>): Mutant =>
  portsMutant(name, ({ funding }, bench) => ({ funding: { ...funding, ...change(funding, bench) } }))

/** A mutant that changes a proposal when it is read, and when it is confirmed. */
const proposalMutant = (name: string, change: (proposal: FundingProposal) => FundingProposal): Mutant =>
  fundingMutant(name, ({ confirm, find }, bench) => ({
    find: (number) => Effect.map(find(number), Option.map(change)),
    confirm: (proposal, confirmation) =>
      runBefore(
        () => {
          const { funding } = companyIn(bench, proposal.companyId)
          const stored = funding.get(proposal.number)
          if (stored !== undefined) funding.set(proposal.number, change(stored))
        },
        confirm(proposal, confirmation)
      )
  }))

const pendingAgain = (proposal: FundingProposal): FundingProposal => ({
  ...proposal,
  state: "pending",
  decision: null,
  entryId: null
})

/** Mutants of deposits and corrections that two operators agree on. */
export const fundingMutants: ReadonlyArray<Mutant> = [
  proposalMutant("an operator may confirm an own deposit or correction", (proposal) => ({
    ...proposal,
    proposedBy: "turno-9"
  })),
  proposalMutant("an expired proposal may be confirmed", (proposal) => ({
    ...proposal,
    expiresAt: DateTime.add(proposal.expiresAt, { days: 30 })
  })),
  proposalMutant("a rejected proposal may be confirmed", (proposal) =>
    proposal.state === "rejected" ? pendingAgain(proposal) : proposal
  ),
  proposalMutant("a second confirmation adds the money again", (proposal) =>
    proposal.state === "confirmed" ? { ...pendingAgain(proposal), reference: `${proposal.reference} again` } : proposal
  ),
  fundingMutant("a correction may take more than the available amount", ({ confirm }, bench) => ({
    confirm: (proposal, confirmation) =>
      runAfter(confirm(proposal, confirmation), ({ _tag }) => {
        const books = companyIn(bench, proposal.companyId)
        const { available, held } = books.purse.balance
        const balance = { available: Math.max(available + proposal.amount, -held) as Centavos, held }
        if (_tag === "Insufficient") books.purse = { ...books.purse, balance }
      })
  })),
  fundingMutant("a correction takes held money first", ({ confirm }, bench) => ({
    confirm: (proposal, confirmation) =>
      runAfter(confirm(proposal, confirmation), ({ _tag }) => {
        const books = companyIn(bench, proposal.companyId)
        const { available, held } = books.purse.balance
        const taken = Math.min(held, -proposal.amount)
        if (_tag !== "Recorded" || taken <= 0) return
        const balance = { available: (available + taken) as Centavos, held: (held - taken) as Centavos }
        if (owned(balance) > 0) books.purse = { ...books.purse, balance }
      })
  })),
  portsMutant("a large deposit needs one operator", ({ funding, ledger }) => ({
    funding: {
      ...funding,
      propose: (request) =>
        request.kind === "adjustment"
          ? funding.propose(request)
          : Effect.map(
              ledger.deposit({ ...request, amount: Amount.make(request.amount), at: request.proposedAt }),
              (deposited) =>
                deposited._tag === "Recorded" || deposited._tag === "AlreadyRecorded"
                  ? FundingProposed.AlreadyRecorded({ entryId: deposited.entryId, amount: request.amount })
                  : FundingProposed.UsedElsewhere({ companyId: request.companyId })
            )
    }
  }))
]
