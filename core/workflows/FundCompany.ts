import { Data, DateTime, Effect, Option } from "effect"
import {
  ConfirmAbove,
  confirmable,
  expiryOf,
  type FundingProposal,
  isConfirmedBy,
  needsConfirmation,
  pendingFirst,
  rejectable,
  stateAt
} from "../domain/FundingProposal.ts"
import type { CompanyId } from "../domain/Ids.ts"
import type { Amount } from "../domain/Money.ts"
import { type Actor, isSameOperator } from "../domain/Operator.ts"
import {
  AdjustmentTooLarge,
  DepositTooLarge,
  FundingNotDecidable,
  ReferenceElsewhere,
  ReferenceProposed,
  ReferenceTaken,
  UnknownFunding
} from "../domain/OperatorErrors.ts"
import { CurrentActor } from "../ports/CurrentActor.ts"
import { FundingConfirmed, FundingProposals, FundingProposed, type FundingRequest } from "../ports/FundingProposals.ts"
import { Deposited, Ledger } from "../ports/Ledger.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"
import { companyOf } from "./ManageCompany.ts"

/** The result of a request to move money by hand. */
export type Funded = Data.TaggedEnum<{
  /** The money has moved. `repeated` is true if an earlier call had moved it. */
  Recorded: { readonly entryId: number; readonly repeated: boolean }
  /** Another operator must confirm. `repeated` is true if an earlier call had stored the proposal. */
  Proposed: { readonly proposal: FundingProposal; readonly repeated: boolean }
}>
export const Funded = Data.taggedEnum<Funded>()

/** Succeeds if the recorded amount is the requested amount, because the request is then a repetition. */
const repeatedEntry = (
  { entryId, amount: recorded }: { readonly entryId: number; readonly amount: number },
  { amount: asked, reference }: { readonly amount: number; readonly reference: string }
) =>
  recorded === asked
    ? Effect.succeed(Funded.Recorded({ entryId, repeated: true }))
    : Effect.fail(new ReferenceTaken({ reference, recorded, asked }))

const usedElsewhere =
  ({ companyId, reference }: { readonly companyId: CompanyId; readonly reference: string }) =>
  (other: { readonly companyId: CompanyId }) =>
    Effect.fail(new ReferenceElsewhere({ reference, companyId, otherCompanyId: other.companyId }))

const storedProposal = Effect.fnUntraced(function* (number: number) {
  const proposals = yield* FundingProposals
  const found = yield* proposals.find(number)
  return Option.isNone(found) ? yield* new UnknownFunding({ number }) : found.value
})

/** The facts about a proposal for the audit log. */
const auditedOf = ({ amount, kind, number, proposedBy, reason, reference }: FundingProposal) => ({
  proposal: number,
  kind,
  amount,
  reference,
  ...(reason !== null && { reason }),
  proposedBy
})

/**
 * Writes the audit record of a step of a proposal, once. In a cell of another node the step is committed
 * before its record. After a crash between the two commits, a repeated call writes the missing record.
 */
const recordStep = (
  action: "funding_confirmed" | "funding_proposed",
  proposal: FundingProposal,
  details: Readonly<Record<string, unknown>> = {}
) =>
  recordAudit(
    action,
    { companyId: proposal.companyId },
    { ...auditedOf(proposal), ...details },
    `${action} ${proposal.number}`
  )

type Wanted = Omit<FundingRequest, "expiresAt" | "proposedAt" | "proposedBy">

/** Stores a proposal with its audit event, once per reference. */
const propose = Effect.fnUntraced(function* (wanted: Wanted, { name }: Actor) {
  const { amount, reference } = wanted
  const proposals = yield* FundingProposals
  const at = yield* DateTime.now
  const proposed = yield* proposals.propose({ ...wanted, proposedBy: name, proposedAt: at, expiresAt: expiryOf(at) })
  return yield* FundingProposed.$match(proposed, {
    Proposed: Effect.fnUntraced(function* ({ number }) {
      const proposal = yield* Effect.orDie(storedProposal(number))
      yield* recordStep("funding_proposed", proposal)
      return Funded.Proposed({ proposal, repeated: false })
    }),
    AlreadyProposed: Effect.fnUntraced(function* ({ number }) {
      const proposal = yield* Effect.orDie(storedProposal(number))
      if (proposal.amount === amount) {
        if (isSameOperator(proposal.proposedBy, name)) yield* recordStep("funding_proposed", proposal)
        return Funded.Proposed({ proposal, repeated: true })
      }
      return yield* new ReferenceProposed({ reference, number, proposed: proposal.amount, asked: amount })
    }),
    AlreadyRecorded: (recorded) => repeatedEntry(recorded, wanted),
    UsedElsewhere: usedElsewhere(wanted),
    Insufficient: ({ available }) => Effect.fail(new AdjustmentTooLarge({ available, asked: amount }))
  })
}, atomically)

const deposit = Effect.fnUntraced(function* (
  companyId: CompanyId,
  amount: Amount,
  reference: string,
  isRepeated: boolean
) {
  const ledger = yield* Ledger
  // Records the request before the money moves, so that the audit log has the request even if the process
  // dies in between.
  const asked = { amount, reference, ...(isRepeated && { isRepeated }) }
  yield* recordAudit("deposit_asked", { companyId }, asked)
  const at = yield* DateTime.now
  const deposited = yield* ledger.deposit({ companyId, amount, reference, isNew: !isRepeated, at })
  const funded = yield* Deposited.$match(deposited, {
    Recorded: ({ entryId }) => Effect.succeed(Funded.Recorded({ entryId, repeated: false })),
    AlreadyRecorded: (recorded) => repeatedEntry(recorded, { amount, reference }),
    UsedElsewhere: usedElsewhere({ companyId, reference }),
    BeyondRange: () => Effect.fail(new DepositTooLarge({ asked: amount }))
  })
  const { entryId, repeated } = funded
  yield* recordAudit(repeated ? "deposit_repeated" : "deposit_recorded", { companyId }, { entryId, ...asked })
  return funded
})

/**
 * Adds money to a company's balance, once per reference. A repeated deposit returns the entry of the first deposit. The
 * same reference with another amount is refused. A deposit above `ConfirmAbove` only becomes a proposal, which another
 * operator must confirm.
 *
 * @param isRepeated whether the operator confirms that a deposit of another company may have the same reference.
 */
export const depositOrPropose = Effect.fn("FundCompany.depositOrPropose")(function* (
  companyId: CompanyId,
  amount: Amount,
  reference: string,
  isRepeated = false
) {
  const actor = yield* requireAction("deposit")
  yield* companyOf(companyId)
  if (!needsConfirmation(amount, yield* ConfirmAbove)) return yield* deposit(companyId, amount, reference, isRepeated)
  return yield* propose({ companyId, kind: "deposit", amount, reference, isRepeated, reason: null }, actor)
})

/**
 * Proposes to add signed centavos to the available amount of a company, once per reference. Another operator must
 * confirm the proposal. The available amount must suffice now, and again at the confirmation.
 */
export const proposeAdjustment = Effect.fn("FundCompany.proposeAdjustment")(function* (
  companyId: CompanyId,
  centavos: number,
  { reason, reference }: { readonly reason: string; readonly reference: string }
) {
  const actor = yield* requireAction("propose")
  yield* companyOf(companyId)
  const wanted: Wanted = { companyId, kind: "adjustment", amount: centavos, reference, isRepeated: false, reason }
  return yield* propose(wanted, actor)
})

/** Maximum number of proposals in a list. */
const listed_max = 200

/** The proposals of a company, or of all companies if null: pending ones first, then the newest. */
export const listProposals = Effect.fn("FundCompany.listProposals")(function* (companyId: CompanyId | null) {
  if (companyId !== null) yield* companyOf(companyId)
  const proposals = yield* FundingProposals
  const now = yield* DateTime.now
  const listed = yield* proposals.list(companyId, listed_max)
  return pendingFirst(listed.map((proposal) => ({ ...proposal, state: stateAt(proposal, now) })))
})

/** A confirmed proposal and its entry. `repeated` is true if this operator had confirmed it before. */
const confirmedFunding = (proposal: FundingProposal, entryId: number, repeated: boolean) => ({
  proposal,
  entryId,
  repeated
})

/**
 * Confirms the proposal of another operator and moves its money, in one transaction. If another operator has
 * already confirmed or rejected it, the error names that operator. A repeated confirmation by the same operator has no
 * effect.
 */
export const confirmFunding = Effect.fn("FundCompany.confirmFunding")(function* (number: number) {
  const actor = yield* requireAction("confirm")
  const { name } = actor
  const proposals = yield* FundingProposals
  const proposal = yield* storedProposal(number)
  const { amount, entryId: known } = proposal
  if (known !== null && isConfirmedBy(proposal, name)) {
    yield* recordStep("funding_confirmed", proposal, { entryId: known })
    return confirmedFunding(proposal, known, true)
  }
  const at = yield* DateTime.now
  yield* Effect.fromResult(confirmable(proposal, actor, at))
  const confirmed = yield* proposals.confirm(proposal, { by: name, at })
  return yield* FundingConfirmed.$match(confirmed, {
    Recorded: Effect.fnUntraced(function* ({ balance, entryId }) {
      const change = { before: { owned: balance - amount }, after: { owned: balance } }
      yield* recordStep("funding_confirmed", proposal, { entryId, ...change })
      return confirmedFunding(yield* storedProposal(number), entryId, false)
    }),
    // Another operator has confirmed or rejected the proposal since it was read.
    NotPending: () =>
      Effect.flatMap(storedProposal(number), (decided) =>
        Effect.andThen(Effect.fromResult(confirmable(decided, actor, at)), Effect.die(new Error("still pending")))
      ),
    AlreadyRecorded: () => Effect.fail(new FundingNotDecidable({ number, why: "reference_used" })),
    UsedElsewhere: () => Effect.fail(new FundingNotDecidable({ number, why: "reference_used" })),
    Insufficient: ({ available }) => Effect.fail(new AdjustmentTooLarge({ available, asked: amount })),
    BeyondRange: () => Effect.fail(new DepositTooLarge({ asked: amount }))
  })
}, atomically)

/** Rejects a proposal, with the reason. The operator who made the proposal may also reject it, in order to withdraw it. */
export const rejectFunding = Effect.fn("FundCompany.rejectFunding")(function* (number: number, reason: string) {
  const proposal = yield* storedProposal(number)
  const { name } = yield* CurrentActor
  yield* requireAction(isSameOperator(proposal.proposedBy, name) ? "deposit" : "confirm")
  const at = yield* DateTime.now
  yield* Effect.fromResult(rejectable(proposal, at))
  const proposals = yield* FundingProposals
  if (yield* proposals.reject(proposal, { by: name, at, reason })) {
    const { companyId } = proposal
    yield* recordAudit("funding_rejected", { companyId }, { ...auditedOf(proposal), rejectedFor: reason })
    return yield* storedProposal(number)
  }
  // Another operator has confirmed or rejected the proposal since it was read.
  return yield* Effect.fromResult(rejectable(yield* storedProposal(number), at))
}, atomically)
