import type { GroundTruth } from "../engine/GroundTruth.ts"
import type { ByHand, SaleSeen } from "../engine/Observed.ts"
import type { OperatorErrors } from "../engine/OperatorErrors.ts"
import { broken, type Sim } from "../engine/Sim.ts"

/** What was promised outside, and to whom the books have to be compared. */
export interface Outside {
  readonly sales: GroundTruth
  readonly reversals: GroundTruth
  readonly messages: GroundTruth
  /** The names of the reversals of each sale, by its xid. */
  readonly reversalsOf: ReadonlyMap<string, ReadonlySet<string>>
  /** What an alert was raised for: a person looks at it. */
  readonly raised: ReadonlySet<string>
  readonly operatorErrors: Pick<OperatorErrors, "prevailed">
  /** What operators asked for, by company and reference, and for how much. */
  readonly byHand: ReadonlyMap<string, number>
}

/** Whether both sides may differ: because somebody said what was not so, or because a person knows that they do. */
const isExcused = ({ operatorErrors, raised, reversals, reversalsOf, sales }: Outside, xid: string): boolean => {
  const takenBack = [...(reversalsOf.get(xid) ?? [])]
  return (
    [xid, ...takenBack].some((name) => raised.has(name) || operatorErrors.prevailed(name)) ||
    sales.all.get(xid)?.lied === true ||
    takenBack.some((name) => reversals.all.get(name)?.lied === true)
  )
}

/**
 * Once everybody answers and time has passed, every sale and reversal is over, and what was charged is what was
 * delivered. Contract: 1, Money safety.
 */
export const atRest = (
  sim: Sim,
  { sales, undecided }: { readonly sales: Iterable<SaleSeen>; readonly undecided: Iterable<string> },
  outside: Outside
): void => {
  for (const name of undecided) broken(sim, "every doubt ends", `nobody has settled the reversal ${name}`)
  const charged = new Map<string, SaleSeen>()
  for (const sale of sales) {
    const { transactionId, xid } = sale.order
    if (sale.status === "PROCESSING" || sale.status === "PENDING")
      broken(sim, "every doubt ends", `sale ${transactionId} is still ${sale.status}`)
    if (sale.status !== "FAILED") charged.set(xid, sale)
  }
  for (const xid of new Set([...charged.keys(), ...outside.sales.all.keys()])) {
    if (isExcused(outside, xid)) continue
    const isDelivered = outside.sales.standing(xid) === "done"
    const isTakenBack = [...(outside.reversalsOf.get(xid) ?? [])].some(
      (name) => outside.reversals.standing(name) === "done"
    )
    const wanted = !isDelivered ? undefined : isTakenBack ? "REVERSED" : "SUCCESS"
    const status = charged.get(xid)?.status
    if (status !== wanted)
      broken(
        sim,
        "what was delivered is what was charged",
        `${xid} is ${status ?? "not charged"}, outside ${wanted ?? "not delivered"}`
      )
  }
}

/** Nothing is ever done twice outside. */
export const onceOutside = (sim: Sim, { messages, reversals, sales }: Outside): void => {
  for (const [what, truth] of Object.entries({ sale: sales, reversal: reversals, message: messages }))
    for (const { done, name } of truth.all.values())
      if (done > 1) broken(sim, "one delivery a name", `${what} ${name} was done ${done} times`)
}

/** What operators did is in the ledger once, and nothing that nobody did. */
export const byHandOnce = (sim: Sim, companyId: number, entries: Iterable<ByHand>, { byHand }: Outside): void => {
  const seen = new Set<string>()
  for (const { amount, reference, type } of entries) {
    const name = `${companyId}/${reference}`
    const asked = byHand.get(name)
    const right = !seen.has(name) && (type === "adjustment" || asked === amount)
    if (!right)
      broken(sim, "what operators did is booked once", `${type} ${reference} of ${amount}, asked for ${asked}`)
    seen.add(name)
  }
}
