import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { expiryOf } from "../../core/domain/FundingProposal.ts"
import { CompanyId } from "../../core/domain/Ids.ts"
import { Amount } from "../../core/domain/Money.ts"
import { FundingProposals } from "../../core/ports/FundingProposals.ts"
import { Ledger } from "../../core/ports/Ledger.ts"

/** Deposits 5.00. Returns the tag of the result. */
export const deposit = Effect.fnUntraced(function* (company: number, reference: string, isNew = true) {
  const { deposit } = yield* Ledger
  const at = yield* DateTime.now
  return (yield* deposit({ companyId: CompanyId.make(company), amount: Amount.make(500), reference, at, isNew }))._tag
})

/** Proposes a deposit, and returns the result and the proposal. */
export const propose = Effect.fnUntraced(function* (company: number, reference: string, isRepeated = false) {
  const { list, propose } = yield* FundingProposals
  const at = yield* DateTime.now
  const companyId = CompanyId.make(company)
  const made = yield* propose({
    companyId,
    kind: "deposit",
    amount: 500,
    reference,
    isRepeated,
    reason: null,
    proposedBy: "ana",
    proposedAt: at,
    expiresAt: expiryOf(at)
  })
  const [proposal] = yield* list(companyId, 1)
  return { made, proposal }
})

/** Confirms the proposal as another operator. Returns the tag of the result. */
export const confirm = Effect.fnUntraced(function* ({ proposal }: Effect.Success<ReturnType<typeof propose>>) {
  if (proposal === undefined) return assert.fail("nothing was proposed")
  const { confirm } = yield* FundingProposals
  return (yield* confirm(proposal, { by: "luis", at: yield* DateTime.now }))._tag
})
