import { DateTime, Effect, Layer, Option, Result } from "effect"
import { adjust, owned } from "../../core/domain/Account.ts"
import {
  confirmableByName,
  type FundingProposal,
  ProposalNumber,
  rejectable
} from "../../core/domain/FundingProposal.ts"
import { Amount, owned_max } from "../../core/domain/Money.ts"
import type { Confirmation } from "../../core/domain/OperatorErrors.ts"
import { foldedText } from "../../core/domain/Text.ts"
import {
  FundingConfirmed,
  FundingProposals,
  FundingProposed,
  type FundingRequest
} from "../../core/ports/FundingProposals.ts"
import { postAdjustment, recordedAdjustment } from "./AccountsMemory.ts"
import { Books, type CompanyBooks } from "./Books.ts"
import { depositElsewhere, depositIn, depositWith } from "./LedgerMemory.ts"

type Recorded = Extract<FundingProposed, { readonly _tag: "AlreadyRecorded" }>

/** The company's ledger entry with the kind and the reference of the request. */
const recordedWith = (books: CompanyBooks, { kind, reference }: FundingRequest): Recorded | null => {
  const entry = kind === "deposit" ? depositWith(books, reference) : recordedAdjustment(books, reference)
  return entry === undefined ? null : FundingProposed.AlreadyRecorded({ entryId: entry.id, amount: entry.amount })
}

const proposeIn = (books: Books["Service"], request: FundingRequest): FundingProposed => {
  const own = books.of(request.companyId)
  const recorded = recordedWith(own, request)
  if (recorded !== null) return recorded
  const other =
    request.kind === "deposit" && !request.isRepeated ? depositElsewhere(books, own, request.reference) : null
  if (other !== null) return FundingProposed.UsedElsewhere({ companyId: other })
  const pending = [...own.funding.values()].find(
    ({ kind, reference, state }) =>
      state === "pending" && kind === request.kind && foldedText(reference) === foldedText(request.reference)
  )
  if (pending !== undefined && DateTime.isGreaterThan(pending.expiresAt, request.proposedAt))
    return FundingProposed.AlreadyProposed({ number: pending.number })
  const { balance } = own.purse
  if (adjust(balance, request.amount) === null) return FundingProposed.Insufficient({ available: balance.available })
  if (pending !== undefined) own.funding.set(pending.number, { ...pending, state: "expired" })
  const number = ProposalNumber.make(books.nextFundingNumber())
  own.funding.set(number, { ...request, number, state: "pending", decision: null, entryId: null })
  return FundingProposed.Proposed({ number })
}

const confirmed = (own: CompanyBooks, proposal: FundingProposal, { at, by }: Confirmation, entryId: number) => {
  own.funding.set(proposal.number, { ...proposal, state: "confirmed", decision: { by, at, reason: null }, entryId })
  return FundingConfirmed.Recorded({ entryId, balance: owned(own.purse.balance) })
}

const stored = (own: CompanyBooks, { number }: FundingProposal): FundingProposal => {
  const proposal = own.funding.get(number)
  if (proposal === undefined) throw new Error(`proposal ${number} does not exist`)
  return proposal
}

const confirmDeposit = (
  books: Books["Service"],
  proposal: FundingProposal,
  confirmation: Confirmation
): FundingConfirmed => {
  const { companyId, isRepeated, reference } = proposal
  const amount = Amount.make(proposal.amount)
  const deposited = depositIn(books, { companyId, amount, reference, isNew: !isRepeated, at: confirmation.at })
  return deposited._tag === "Recorded"
    ? confirmed(books.of(companyId), proposal, confirmation, deposited.entryId)
    : deposited
}

const confirmAdjustment = (
  books: Books["Service"],
  proposal: FundingProposal,
  confirmation: Confirmation
): FundingConfirmed => {
  const own = books.of(proposal.companyId)
  const recorded = recordedWith(own, proposal)
  if (recorded !== null) return recorded
  const before = own.purse.balance
  const after = adjust(before, proposal.amount)
  if (after === null) return FundingConfirmed.Insufficient({ available: before.available })
  if (owned(before) > owned_max - proposal.amount) return FundingConfirmed.BeyondRange()
  const entryId = books.nextEntryId()
  const { amount, reference } = proposal
  postAdjustment(own, after, { id: entryId, amount, reference }, confirmation.at)
  return confirmed(own, proposal, confirmation, entryId)
}

const confirmIn = (books: Books["Service"], known: FundingProposal, confirmation: Confirmation): FundingConfirmed => {
  const proposal = stored(books.of(known.companyId), known)
  if (Result.isFailure(confirmableByName(proposal, confirmation.by, confirmation.at)))
    return FundingConfirmed.NotPending()
  const confirm = proposal.kind === "deposit" ? confirmDeposit : confirmAdjustment
  return confirm(books, proposal, confirmation)
}

// Each method works in one synchronous step, so that no other fiber sees a partial change.
const make = Effect.map(Books, (books) => {
  const all = () => [...books.all()].flatMap(({ funding }) => [...funding.values()])
  return FundingProposals.of({
    find: (number) => Effect.sync(() => Option.fromUndefinedOr(all().find((proposal) => proposal.number === number))),
    list: (companyId, limit) =>
      Effect.sync(() =>
        all()
          .filter((proposal) => companyId === null || proposal.companyId === companyId)
          .sort((left, right) => right.number - left.number)
          .slice(0, limit)
      ),
    propose: (request) => Effect.sync(() => proposeIn(books, request)),
    confirm: (proposal, confirmation) => Effect.sync(() => confirmIn(books, proposal, confirmation)),
    reject: (known, decision) =>
      Effect.sync(() => {
        const { funding } = books.of(known.companyId)
        const proposal = stored(books.of(known.companyId), known)
        if (Result.isFailure(rejectable(proposal, decision.at))) return false
        funding.set(proposal.number, { ...proposal, state: "rejected", decision })
        return true
      })
  })
})

/** `FundingProposals` in memory, built on the rules of core/domain. */
export const layer = Layer.effect(FundingProposals, make)
