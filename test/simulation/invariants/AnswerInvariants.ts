import { DateTime } from "effect"
import { dayOf } from "../../../core/domain/LocalTime.ts"
import type { Outcome } from "../../../core/domain/Sale.ts"
import type { Status } from "../../../core/domain/Status.ts"
import { type ObservedSale, reportViolation, type Simulation } from "../engine/Simulation.ts"

/** A purchase and its response. */
interface ReceivedAnswer {
  readonly companyId: number
  readonly key: string
  readonly identifier: string
  /** Null if the option determines the price. */
  readonly centavos: number | null
  readonly outcome: Outcome
  readonly replayed: boolean
}

/** Checks the responses to callers: each response fits its request, and a repeated key receives the same response. */
export interface AnswerChecks {
  readonly heard: (heard: ReceivedAnswer) => void
  /** Reports the response that the database stores for the key of a sale; null while it stores none. */
  readonly kept: (transactionId: number, outcome: Outcome | null) => void
}

const transactionIdOf = (outcome: Outcome): number =>
  outcome._tag === "Delivered" ? outcome.order.transactionId : outcome.transactionId

const outcomeText = (outcome: Outcome): string =>
  JSON.stringify(outcome, (_, value) => (DateTime.isDateTime(value) ? DateTime.formatIso(value) : value))

export const checkAnswers = (sim: Simulation, statuses: StatusChecks): AnswerChecks => {
  const firm = new Map<number, string>()
  const replays = new Map<number, string>()
  const named = new Map<string, number>()

  const isSame = (known: Map<number, string>, id: number, text: string, what: string) => {
    const before = known.get(id)
    if (before !== undefined && before !== text)
      reportViolation(sim, "a key always gets the same response", `sale ${id}: ${what} was ${before}, now ${text}`)
    known.set(id, text)
  }

  const isOfKey = (name: string, companyId: number, id: number) => {
    const before = named.get(name)
    named.set(name, id)
    if (before === undefined || before === id) return
    sim.store.look(() => {
      for (const { order, status } of sim.store.view.sales(companyId))
        if (order.transactionId === Math.min(before, id) && status !== "FAILED")
          reportViolation(sim, "a key names one sale", `${name} names sales ${before} and ${id}`)
    })
  }

  const fits = ({ centavos, companyId, identifier, outcome }: ReceivedAnswer) =>
    sim.store.look(() => {
      for (const { order } of sim.store.view.sales(companyId)) {
        if (order.transactionId !== transactionIdOf(outcome)) continue
        const right = order.identifier === identifier && (centavos === null || order.amount === centavos)
        if (!right)
          reportViolation(
            sim,
            "a response fits its request",
            `the response names sale ${order.transactionId}, which does not match the request`
          )
      }
    })

  return {
    kept: (id, outcome) => {
      if (outcome !== null) isSame(replays, id, outcomeText(outcome), "the replay")
    },
    heard: (heard) => {
      const { companyId, key, outcome, replayed } = heard
      const id = transactionIdOf(outcome)
      const text = outcomeText(outcome)
      isOfKey(`${companyId}/${key}`, companyId, id)
      fits(heard)
      if (replayed) isSame(replays, id, text, "the replay")
      if (outcome._tag === "Pending") return
      isSame(firm, id, text, "the response")
      statuses.told(id, outcome._tag === "Delivered" ? "delivered" : "refused")
    }
  }
}

/** The allowed status changes of a sale. Contract: 3.1. */
const allowedTransitions: Readonly<Record<Status, ReadonlyArray<Status>>> = {
  PROCESSING: ["PENDING", "SUCCESS", "FAILED", "REVERSED"],
  PENDING: ["SUCCESS", "FAILED", "REVERSED"],
  SUCCESS: ["REVERSED"],
  FAILED: [],
  REVERSED: []
}

/** The firm response that a caller received about a sale. */
type PromisedOutcome = "delivered" | "refused"

const allowedStatuses: Readonly<Record<PromisedOutcome, ReadonlyArray<Status>>> = {
  delivered: ["SUCCESS", "REVERSED"],
  refused: ["FAILED"]
}

/**
 * Checks that sales change status only as allowed, and that no status contradicts the response to the caller of the
 * sale.
 */
export interface StatusChecks {
  readonly told: (transactionId: number, told: PromisedOutcome) => void
  readonly seen: (sales: Iterable<ObservedSale>) => void
}

export const checkStatuses = (sim: Simulation): StatusChecks => {
  const last = new Map<number, Status>()
  const promises = new Map<number, PromisedOutcome>()
  return {
    told: (transactionId, told) => void promises.set(transactionId, told),
    seen: (sales) => {
      const bills = new Map<string, number>()
      for (const { billId, day, order, status } of sales) {
        const { transactionId } = order
        if (billId !== null && status !== "FAILED" && status !== "REVERSED") {
          const other = bills.get(billId)
          if (other !== undefined)
            reportViolation(sim, "a bill is paid once", `bill ${billId} is paid by sales ${other} and ${transactionId}`)
          bills.set(billId, transactionId)
        }
        if (!last.has(transactionId) && day !== dayOf(order.createdAt))
          reportViolation(
            sim,
            "a sale counts in its local day",
            `sale ${transactionId} counts in ${day}, not in the local day of its creation`
          )
        const before = last.get(transactionId)
        if (before !== undefined && before !== status && !allowedTransitions[before].includes(status))
          reportViolation(
            sim,
            "a sale's status never goes back",
            `sale ${transactionId} changes from ${before} to ${status}`
          )
        const promised = promises.get(transactionId)
        if (promised !== undefined && !allowedStatuses[promised].includes(status))
          reportViolation(
            sim,
            "a firm response stays true",
            `the caller of sale ${transactionId} received "${promised}", but its status is ${status}`
          )
        last.set(transactionId, status)
      }
    }
  }
}
