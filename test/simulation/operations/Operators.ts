import { DateTime, Effect, Option } from "effect"
import { CellName } from "../../../core/domain/Cell.ts"
import { CompanyId, type TransactionId } from "../../../core/domain/Ids.ts"
import { validFor } from "../../../core/domain/InsuranceOffer.ts"
import { dayOf, startOfDay } from "../../../core/domain/LocalTime.ts"
import { Amount, Centavos } from "../../../core/domain/Money.ts"
import type { NotResolvable } from "../../../core/domain/OperatorErrors.ts"
import { Finding } from "../../../core/domain/Resolution.ts"
import { Accounts, Adjustments } from "../../../core/ports/Accounts.ts"
import { Resolutions } from "../../../core/ports/Resolutions.ts"
import {
  confirmFunding,
  depositOrPropose,
  type Funded,
  listProposals,
  proposeAdjustment,
  rejectFunding
} from "../../../core/workflows/FundCompany.ts"
import { closeCell, openCell } from "../../../core/workflows/ManageCells.ts"
import { confirmResolution, proposeResolution } from "../../../core/workflows/Resolve.ts"
import { actingAs } from "../../support/OperatorAccounts.ts"
import type { GroundTruth, OperatorMistakes } from "../engine/GroundTruth.ts"
import type { ObservedReversal, ObservedSale } from "../engine/Simulation.ts"
import type { FundingDecision, Operation } from "./Operation.ts"

type OperationOf<Do extends Operation["do"]> = Operation & { readonly do: Do }

/** The data that operators see: stuck sales and reversals, and the suppliers' own records. */
export interface BackOffice {
  readonly stuckSales: () => ReadonlyArray<ObservedSale>
  readonly stuckReversals: () => ReadonlyArray<ObservedReversal>
  readonly sales: GroundTruth
  readonly reversals: GroundTruth
  /** The signed amount in centavos of each requested deposit and correction, by company and reference. */
  readonly byHand: Map<string, number>
  readonly operatorErrors: OperatorMistakes
}

/**
 * Two operators decide on the proposal of a third. Before that, the proposer tries to confirm it alone, which must fail.
 * Afterwards one of the two confirms once more, which must change nothing.
 */
const decide = Effect.fnUntraced(function* (funded: Funded, decision: FundingDecision) {
  if (funded._tag === "Recorded") return funded.entryId
  const { number } = funded.proposal
  yield* Effect.sleep("10 seconds")
  yield* Effect.ignore(actingAs("turno-1")(confirmFunding(number)))
  const confirm = actingAs("turno-2")(confirmFunding(number))
  const reject = actingAs("turno-3")(rejectFunding(number, "el banco no la conoce"))
  if (decision === "leave") return null
  if (decision === "reject") yield* Effect.ignore(reject)
  else {
    const other = decision === "torn" ? reject : actingAs("turno-3")(confirmFunding(number))
    yield* Effect.all([Effect.ignore(confirm), Effect.ignore(other)], { concurrency: "unbounded" })
  }
  return (yield* confirm).entryId
})

type FundingOperation = OperationOf<"deposit" | "correct">

const record = ({ byHand }: BackOffice, { centavos, company, reference }: FundingOperation) =>
  Effect.sync(() => void byHand.set(`${company}/${reference}`, centavos))

export const makeDeposit = Effect.fnUntraced(function* (office: BackOffice, op: OperationOf<"deposit">) {
  yield* record(office, op)
  const asked = depositOrPropose(CompanyId.make(op.company), Amount.make(op.centavos), op.reference)
  return yield* decide(yield* actingAs("turno-1")(asked), op.decision)
})

export const correctBalance = Effect.fnUntraced(function* (office: BackOffice, op: OperationOf<"correct">) {
  yield* record(office, op)
  const { centavos, company, reference } = op
  const asked = proposeAdjustment(CompanyId.make(company), centavos, { reason: "depósito errado", reference })
  return yield* decide(yield* actingAs("turno-1")(asked), op.decision)
})

/** Closes or opens a cell. If the server dies meanwhile, the cell keeps the state that it has then. */
export const setCellState = (op: OperationOf<"close cell" | "open cell">) =>
  actingAs("turno-1", "admin")((op.do === "close cell" ? closeCell : openCell)(CellName.make(op.cell)))

export const setLimits = Effect.fnUntraced(function* ({ company, daily, monthly, weekly }: OperationOf<"limit">) {
  const accounts = yield* Accounts
  const limits = { daily: Centavos.make(daily), weekly: Centavos.make(weekly), monthly: Centavos.make(monthly) }
  yield* accounts.configure(CompanyId.make(company), limits, yield* DateTime.now)
})

export const adjust = Effect.fnUntraced(function* ({ centavos, company, reference }: OperationOf<"adjust">) {
  const adjustments = yield* Adjustments
  const at = yield* DateTime.now
  const since = startOfDay(dayOf(at))
  const wanted = { companyId: CompanyId.make(company), goal: Amount.make(centavos), reference, since, at }
  return yield* adjustments.adjust(wanted)
})

export const confirmRest = Effect.fnUntraced(function* ({ company }: OperationOf<"confirm rest">) {
  const undecided = (yield* listProposals(CompanyId.make(company))).filter(({ decision }) => decision === null)
  yield* Effect.forEach(undecided, ({ number }) => Effect.ignore(actingAs("turno-2")(confirmFunding(number))))
})

type ResolveOperation = Extract<Operation, { readonly do: "resolve" | "resolve reversal" }>

/**
 * Whether the operators state that the supplier performed the sale or reversal. They state what the supplier's records
 * say or, if mistaken, the opposite. Null while the supplier has not decided.
 */
const claimsDone = (
  { operatorErrors }: BackOffice,
  truth: GroundTruth,
  name: string,
  mistaken: boolean
): boolean | null => {
  const standing = truth.standing(name)
  if (standing === "undecided") return null
  if (mistaken) operatorErrors.add(name)
  return (standing === "done") !== mistaken
}

/** The sale as the command line shows it to an operator. */
const resolutionView = (transactionId: TransactionId) =>
  Effect.map(
    Resolutions.use(({ find }) => find(transactionId)),
    Option.getOrNull
  )

/**
 * The number of a confirmed proposal whose settlement failed. A new proposal is refused in this case, so the operators
 * confirm the existing proposal again.
 */
const confirmedBefore = Effect.fnUntraced(function* (transactionId: TransactionId, refused: NotResolvable) {
  const proposal = refused.why === "confirmed" ? (yield* resolutionView(transactionId))?.proposal : null
  return proposal == null ? yield* refused : proposal.number
})

/**
 * One operator proposes a resolution and another operator confirms it. Before that, the proposer tries to confirm it
 * alone, which must fail.
 */
const proposeAndConfirm = Effect.fnUntraced(function* (transactionId: TransactionId, finding: Finding) {
  const proposal = { finding, reason: "el estado de cuenta" }
  const number = yield* proposeResolution(transactionId, proposal).pipe(
    actingAs("turno-1"),
    Effect.map((proposed) => proposed.number),
    Effect.catchTag("NotResolvable", (refused) => confirmedBefore(transactionId, refused))
  )
  yield* Effect.sleep("10 seconds")
  const read = { evenUnasked: true, number }
  yield* Effect.ignore(confirmResolution(transactionId, read).pipe(actingAs("turno-1")))
  return yield* confirmResolution(transactionId, read).pipe(actingAs("turno-2"))
})

const nthOf = <A>(all: ReadonlyArray<A>, nth: number): A | undefined => all[nth % Math.max(all.length, 1)]

/** The finding that a sale succeeded, with the proof that its type of service needs. */
const successFinding = ({ order: { service, xid } }: ObservedSale) =>
  Effect.map(DateTime.now, (now) =>
    Finding.cases.Success.make({
      authCode: `A${xid.slice(3, 15).toUpperCase()}`,
      rechargeToken: service.type === "electricity_prepaid" ? "1234 5678 9012 3456 7890" : null,
      validity: service.type === "insurance" ? validFor(now, 12) : null
    })
  )

export const resolveSale = Effect.fnUntraced(function* (office: BackOffice, op: ResolveOperation) {
  const sale = nthOf(office.stuckSales(), op.nth)
  if (sale === undefined) return null
  const { transactionId, xid } = sale.order
  const done = claimsDone(office, office.sales, xid, op.mistaken)
  if (done === null) return null
  return (yield* proposeAndConfirm(transactionId, done ? yield* successFinding(sale) : Finding.cases.Failed.make({})))
    .status
})

export const resolveReversal = Effect.fnUntraced(function* (office: BackOffice, op: ResolveOperation) {
  const reversal = nthOf(office.stuckReversals(), op.nth)
  if (reversal === undefined) return null
  const { transactionId, xid } = reversal
  const sale = yield* resolutionView(transactionId)
  // The reversal may have been settled after it was listed, and a newer reversal of the same sale may be stuck.
  if (sale?.unresolved?.reversal.xid !== xid) return null
  const done = claimsDone(office, office.reversals, xid, op.mistaken)
  if (done === null) return null
  const finding = done ? Finding.cases.Reversed.make({}) : Finding.cases.Stands.make({})
  return (yield* proposeAndConfirm(transactionId, finding)).reversal
})
