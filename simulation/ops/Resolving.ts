import { DateTime, Effect, Option } from "effect"
import type { TransactionId } from "../../core/domain/Ids.ts"
import { validFor } from "../../core/domain/InsuranceOffer.ts"
import type { NotResolvable } from "../../core/domain/OperatorErrors.ts"
import { Finding } from "../../core/domain/Resolution.ts"
import { Resolutions } from "../../core/ports/Resolutions.ts"
import { confirmResolution, proposeResolution } from "../../core/workflows/Resolve.ts"
import type { GroundTruth } from "../engine/GroundTruth.ts"
import type { SaleSeen } from "../engine/Observed.ts"
import type { Op } from "./Op.ts"
import type { BackOffice } from "./Operators.ts"

type ResolveOp = Extract<Op, { readonly do: "resolve" | "resolve reversal" }>

/**
 * Whether operators say that it was done: what they read in the supplier's own books or, when they are mistaken, the
 * opposite; null while it is still open over there, so that nobody can say.
 */
const saysDone = (
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

/** A sale as an operator is shown it. */
const shown = (transactionId: TransactionId) =>
  Effect.map(
    Resolutions.use(({ find }) => find(transactionId)),
    Option.getOrNull
  )

/** A proposal that was confirmed and not settled is not replaced: whoever comes then confirms it once more. */
const confirmedBefore = Effect.fnUntraced(function* (transactionId: TransactionId, refused: NotResolvable) {
  const proposal = refused.why === "confirmed" ? (yield* shown(transactionId))?.proposal : null
  return proposal == null ? yield* refused : proposal.number
})

/** One operator proposes, and another confirms; whoever has proposed may try in vain. */
const agree = Effect.fnUntraced(function* (transactionId: TransactionId, finding: Finding) {
  const proposal = { finding, operator: "turno-1", reason: "el estado de cuenta" }
  const number = yield* proposeResolution(transactionId, proposal).pipe(
    Effect.map((proposed) => proposed.number),
    Effect.catchTag("NotResolvable", (refused) => confirmedBefore(transactionId, refused))
  )
  yield* Effect.sleep("10 seconds")
  const read = { evenUnasked: true, number }
  yield* Effect.ignore(confirmResolution(transactionId, { ...read, operator: "turno-1" }))
  return yield* confirmResolution(transactionId, { ...read, operator: "turno-2" })
})

const nthOf = <A>(all: ReadonlyArray<A>, nth: number): A | undefined => all[nth % Math.max(all.length, 1)]

/** With what proves it, of a sale of its kind. */
const success = ({ order: { service, xid } }: SaleSeen) =>
  Effect.map(DateTime.now, (now) =>
    Finding.cases.Success.make({
      authCode: `A${xid.slice(3, 15).toUpperCase()}`,
      rechargeToken: service.type === "electricity_prepaid" ? "1234 5678 9012 3456 7890" : null,
      validity: service.type === "insurance" ? validFor(now, 12) : null
    })
  )

export const resolveSale = Effect.fnUntraced(function* (office: BackOffice, op: ResolveOp) {
  const sale = nthOf(office.stuckSales(), op.nth)
  if (sale === undefined) return null
  const { transactionId, xid } = sale.order
  const done = saysDone(office, office.sales, xid, op.mistaken)
  if (done === null) return null
  return (yield* agree(transactionId, done ? yield* success(sale) : Finding.cases.Failed.make({}))).status
})

export const resolveReversal = Effect.fnUntraced(function* (office: BackOffice, op: ResolveOp) {
  const reversal = nthOf(office.stuckReversals(), op.nth)
  if (reversal === undefined) return null
  const { transactionId, xid } = reversal
  const sale = yield* shown(transactionId)
  // It may be over since it was listed, and another of the same sale be stuck.
  if (sale?.under?.reversal.xid !== xid) return null
  const done = saysDone(office, office.reversals, xid, op.mistaken)
  if (done === null) return null
  const finding = done ? Finding.cases.Reversed.make({}) : Finding.cases.Stands.make({})
  return (yield* agree(transactionId, finding)).reversal
})
