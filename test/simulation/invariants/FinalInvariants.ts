import type { GroundTruth, OperatorMistakes } from "../engine/GroundTruth.ts"
import { type ObservedSale, type OperatorEntry, reportViolation, type Simulation } from "../engine/Simulation.ts"
import { companies } from "../process/CompaniesAndCatalogue.ts"
import { confirmAbove } from "../process/Process.ts"

const sandboxId = companies.find(({ code }) => code === "SANDBOX")?.id

/** All records outside the server with which the books must agree at the end of a run. */
export interface ExternalRecords {
  readonly sales: GroundTruth
  readonly reversals: GroundTruth
  readonly messages: GroundTruth
  /** Names of the reversals of each sale, by the xid of the sale. */
  readonly reversalsOf: ReadonlyMap<string, ReadonlySet<string>>
  /** Names of sales and reversals for which an alert was raised. Operators examine them. */
  readonly raised: ReadonlySet<string>
  readonly operatorErrors: Pick<OperatorMistakes, "prevailed">
  /** The signed centavos of every deposit and correction that operators requested, by company and reference. */
  readonly byHand: ReadonlyMap<string, number>
}

/**
 * Whether the books and the supplier may differ, because an alert was raised, the supplier gave a false answer, or
 * operators stated a false result.
 */
const mayDiffer = (
  { operatorErrors, raised, reversals, reversalsOf, sales }: ExternalRecords,
  xid: string
): boolean => {
  const takenBack = [...(reversalsOf.get(xid) ?? [])]
  return (
    [xid, ...takenBack].some((name) => raised.has(name) || operatorErrors.prevailed(name)) ||
    sales.all.get(xid)?.answeredFalsely === true ||
    takenBack.some((name) => reversals.all.get(name)?.answeredFalsely === true)
  )
}

/**
 * Checks that every sale and reversal is settled, and that exactly the delivered sales are charged. The check runs when
 * faults have stopped and enough time has passed. Contract: 1, Money safety.
 */
export const checkSettledAndCharged = (
  sim: Simulation,
  { sales, undecided }: { readonly sales: Iterable<ObservedSale>; readonly undecided: Iterable<string> },
  outside: ExternalRecords
): void => {
  for (const name of undecided)
    reportViolation(sim, "everything is settled at the end", `reversal ${name} is not settled`)
  const charged = new Map<string, ObservedSale>()
  for (const sale of sales) {
    const { transactionId, xid } = sale.order
    if (sale.status === "PROCESSING" || sale.status === "PENDING")
      reportViolation(sim, "everything is settled at the end", `sale ${transactionId} is still ${sale.status}`)
    if (sale.status !== "FAILED") charged.set(xid, sale)
  }
  for (const xid of new Set([...charged.keys(), ...outside.sales.all.keys()])) {
    if (mayDiffer(outside, xid)) continue
    const isDelivered = outside.sales.standing(xid) === "done"
    const isReversed = [...(outside.reversalsOf.get(xid) ?? [])].some(
      (name) => outside.reversals.standing(name) === "done"
    )
    const wanted = !isDelivered ? undefined : isReversed ? "REVERSED" : "SUCCESS"
    const status = charged.get(xid)?.status
    if (status !== wanted)
      reportViolation(
        sim,
        "exactly the delivered sales are charged",
        `${xid}: the books say ${status ?? "not charged"}, the records of the supplier require ${wanted ?? "not charged"}`
      )
  }
}

/** Checks that no external service performed an operation twice. */
export const checkDoneOnce = (sim: Simulation, { messages, reversals, sales }: ExternalRecords): void => {
  for (const [what, truth] of Object.entries({ sale: sales, reversal: reversals, message: messages }))
    for (const { done, name } of truth.all.values())
      if (done > 1)
        reportViolation(sim, "an external operation is performed once", `${what} ${name} was performed ${done} times`)
}

/** Whether the entry may be a reset of the sandbox. The amount of a reset depends on the balance. */
const mayBeReset = (companyId: number, { type }: OperatorEntry): boolean =>
  type === "adjustment" && companyId === sandboxId

/** Checks that the ledger contains each requested deposit and correction once, and no others except resets. */
export const checkOperatorEntries = (
  sim: Simulation,
  companyId: number,
  entries: Iterable<OperatorEntry>,
  { byHand }: ExternalRecords
): void => {
  const seen = new Set<string>()
  for (const entry of entries) {
    const { agreed, amount, reference, type } = entry
    const name = `${companyId}/${reference}`
    const asked = byHand.get(name)
    const right = !seen.has(name) && (asked === undefined ? mayBeReset(companyId, entry) : asked === amount)
    if (!right)
      reportViolation(
        sim,
        "an operator's entry is booked once",
        `${type} ${reference} is booked with ${amount}, but ${asked} was requested`
      )
    const isLarge = amount > confirmAbove && reference?.startsWith("apertura") === false
    if (!agreed && (type === "adjustment" ? asked !== undefined : isLarge))
      reportViolation(
        sim,
        "a correction or large deposit has two operators",
        `${type} ${reference} of ${amount} has no confirmed proposal`
      )
    seen.add(name)
  }
}

/** Checks that an alert was raised for every sale about which the supplier changed its answer. */
export const checkChangesFound = (
  sim: Simulation,
  changed: ReadonlyArray<string>,
  { raised }: Pick<ExternalRecords, "raised">
): void => {
  for (const xid of changed)
    if (!raised.has(xid))
      reportViolation(
        sim,
        "a changed answer is found",
        `the supplier changed its answer about ${xid}, and no alert was raised`
      )
}

/** Checks that the balance and the sales of each company are the same as before the suppliers changed their answers. */
export const checkMoneyUnmoved = (
  sim: Simulation,
  before: ReadonlyMap<number, string>,
  after: ReadonlyMap<number, string>
): void => {
  for (const [companyId, money] of before)
    if (after.get(companyId) !== money)
      reportViolation(
        sim,
        "a changed answer moves no money",
        `company ${companyId} had ${money}, and now has ${after.get(companyId)}`
      )
}
