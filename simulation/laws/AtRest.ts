import type { GroundTruth } from "../engine/GroundTruth.ts"
import type { ByHand, SaleSeen } from "../engine/Observed.ts"
import type { OperatorErrors } from "../engine/OperatorErrors.ts"
import { broken, type Sim } from "../engine/Sim.ts"

/** Everything outside the server with which the final books must agree. */
export interface Outside {
  readonly sales: GroundTruth
  readonly reversals: GroundTruth
  readonly messages: GroundTruth
  /** Names of the reversals of each sale, by the xid of the sale. */
  readonly reversalsOf: ReadonlyMap<string, ReadonlySet<string>>
  /** Names for which an alert was raised. Operators examine them. */
  readonly raised: ReadonlySet<string>
  readonly operatorErrors: Pick<OperatorErrors, "prevailed">
  /** Centavos of every deposit and adjustment that operators requested, by company and reference. */
  readonly byHand: ReadonlyMap<string, number>
}

/**
 * Whether books and supplier may differ: an alert was raised, the supplier gave a false answer, or operators stated a
 * false result.
 */
const isExcused = ({ operatorErrors, raised, reversals, reversalsOf, sales }: Outside, xid: string): boolean => {
  const takenBack = [...(reversalsOf.get(xid) ?? [])]
  return (
    [xid, ...takenBack].some((name) => raised.has(name) || operatorErrors.prevailed(name)) ||
    sales.all.get(xid)?.lied === true ||
    takenBack.some((name) => reversals.all.get(name)?.lied === true)
  )
}

/**
 * Checks that every sale and reversal is settled, and that exactly the delivered sales are charged. Runs after faults
 * have stopped and time has passed. Contract: 1, Money safety.
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

/** Checks that no external service performed an operation twice. */
export const onceOutside = (sim: Sim, { messages, reversals, sales }: Outside): void => {
  for (const [what, truth] of Object.entries({ sale: sales, reversal: reversals, message: messages }))
    for (const { done, name } of truth.all.values())
      if (done > 1) broken(sim, "one delivery a name", `${what} ${name} was done ${done} times`)
}

/** Checks that the ledger contains each deposit and adjustment once, and only requested ones. */
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
