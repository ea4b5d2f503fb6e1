import { DateTime, Effect, Option } from "effect"
import { expiryOf } from "../../../core/domain/FundingProposal.ts"
import { FundingProposals } from "../../../core/ports/FundingProposals.ts"
import { pick } from "./Comparison.ts"
import type { Command } from "./LedgerCommands.ts"
import type { Side } from "./LedgerSide.ts"

/** The reference in this scenario. The database also contains other scenarios, and their references must differ. */
export const referenceOf = ({ companyId }: Pick<Side, "companyId">, reference: string): string =>
  `${companyId(0)} ${reference}`

export const proposeFunding = Effect.fnUntraced(function* (side: Side, command: Command & { readonly do: "propose" }) {
  const { centavos, company, isRepeated, kind, reference } = command
  const funding = yield* FundingProposals
  const at = yield* DateTime.now
  const proposed = yield* funding.propose({
    companyId: side.companyId(company),
    kind,
    amount: centavos,
    reference: kind === "deposit" ? referenceOf(side, reference) : reference,
    isRepeated,
    reason: kind === "deposit" ? null : "error",
    proposedBy: "ana",
    proposedAt: at,
    expiresAt: expiryOf(at)
  })
  if (proposed._tag === "Proposed") side.proposals.push(...Option.toArray(yield* funding.find(proposed.number)))
  return proposed
})

export const decideFunding = Effect.fnUntraced(function* (
  { proposals }: Side,
  { by, confirms, which }: Command & { readonly do: "decide" }
) {
  const proposal = pick(proposals, which)
  if (proposal === undefined) return null
  const funding = yield* FundingProposals
  const at = yield* DateTime.now
  const result = confirms
    ? yield* funding.confirm(proposal, { by, at })
    : yield* funding.reject(proposal, { by, at, reason: "no" })
  return { result, proposal: yield* funding.find(proposal.number) }
})
