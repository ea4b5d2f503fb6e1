import { createHash } from "node:crypto"
import { Duration } from "effect"
import { attempts_max } from "../../../core/domain/OneTimeCode.ts"
import type { Intent } from "../../../core/domain/Sale.ts"
import type { Reserved, Settled, Settlement } from "../../../core/ports/Ledger.ts"
import type { ClaimedSms, Outbox } from "../../../core/ports/Outbox.ts"
import type { ReversalSettled, ReversalSettlement } from "../../../core/ports/Reversals.ts"
import type { EndpointRecords } from "../engine/EndpointRecords.ts"
import type { Incarnation } from "../engine/EventLoop.ts"
import { reportViolation, type Simulation } from "../engine/Simulation.ts"
import { type AnswerChecks, checkAnswers, checkStatuses, type StatusChecks } from "./AnswerInvariants.ts"
import { checkDeliveries, type DeliveryChecks } from "./DeliveryInvariants.ts"
import { checkEvents, type EventChecks } from "./EventInvariants.ts"
import { checkFunding, type FundingChecks } from "./FundingInvariants.ts"
import { checkLimits, checkOrders, type OrderChecks } from "./OrderInvariants.ts"
import {
  type AgreementChecks,
  type AlertChecks,
  checkAgreements,
  checkAlerts,
  checkLeases,
  type LeaseChecks
} from "./ResolutionInvariants.ts"

/**
 * Minimum lease of a claim. It is longer than a supplier's maximum response time, so that two recoveries never ask
 * about a sale at the same time.
 */
const lease_min_ms = Duration.toMillis(Duration.seconds(31))

/** The invariants that are checked during a run, with the state of this run. */
export interface Invariants {
  readonly agreements: AgreementChecks
  readonly alerts: AlertChecks
  readonly answers: AnswerChecks
  readonly claims: LeaseChecks
  readonly deliveries: DeliveryChecks
  readonly events: EventChecks
  readonly funding: FundingChecks
  readonly orders: OrderChecks
  readonly statuses: StatusChecks
  readonly reserved: (intent: Intent, reserved: Reserved) => void
  readonly settled: (incarnation: Incarnation, settlement: Settlement, settled: Settled) => void
  readonly settledReversal: (incarnation: Incarnation, settlement: ReversalSettlement, settled: ReversalSettled) => void
  readonly claimedMessages: (
    claim: Parameters<Outbox["Service"]["claim"]>[0],
    claimed: ReadonlyArray<ClaimedSms>
  ) => void
  readonly attempted: (insuranceId: number) => void
}

export const makeInvariants = (sim: Simulation, endpoints: EndpointRecords): Invariants => {
  const alerts = checkAlerts(sim)
  const statuses = checkStatuses(sim)
  const answers = checkAnswers(sim, statuses)
  const claims = checkLeases(sim, lease_min_ms)
  const events = checkEvents(sim)
  const limits = checkLimits(sim)
  const orders = checkOrders(sim)
  const attempts = new Map<number, number>()
  const settledSales = new Set<number>()
  return {
    agreements: checkAgreements(sim),
    alerts,
    answers,
    claims,
    deliveries: checkDeliveries(sim, endpoints, events),
    events,
    funding: checkFunding(sim),
    orders,
    statuses,
    reserved: ({ key }, reserved) => {
      if (reserved._tag === "Replay") return
      const { order } = reserved
      limits(order)
      const wanted = `RD-${createHash("sha256").update(`${order.companyId}:${key}`).digest("hex").slice(0, 24)}`
      if (order.xid !== wanted)
        reportViolation(sim, "an xid derives from company and key", `the xid is ${order.xid}, expected ${wanted}`)
    },
    settled: (incarnation, { order, verdict }, { outcome, status, won }) => {
      const { transactionId } = order
      answers.kept(transactionId, outcome)
      claims.released(`sale ${transactionId}`)
      if (won && verdict._tag !== "Hold") {
        if (settledSales.has(transactionId))
          reportViolation(sim, "a sale is settled once", `sale ${transactionId} is settled twice`)
        settledSales.add(transactionId)
      }
      const contradicts =
        !won && ((verdict._tag === "Confirm" && status === "FAILED") || (isRefusal(verdict) && status === "SUCCESS"))
      if (contradicts) alerts.contradicted(incarnation, order.xid)
    },
    settledReversal: (incarnation, { unresolved, verdict }, { status, won }) => {
      claims.released(unresolved.reversal.xid)
      const contradicts =
        !won &&
        ((verdict._tag === "Confirm" && status === "DENIED") ||
          ((verdict._tag === "Deny" || verdict._tag === "Free") && status === "CONFIRMED"))
      if (contradicts) alerts.contradicted(incarnation, unresolved.reversal.xid)
    },
    claimedMessages: (claim, claimed) =>
      claims.claimed(
        claim,
        claimed.map(({ message }) => message.id)
      ),
    attempted: (insuranceId) => {
      const times = (attempts.get(insuranceId) ?? 0) + 1
      attempts.set(insuranceId, times)
      if (times > attempts_max)
        reportViolation(
          sim,
          "a code allows five attempts",
          `the code of insurance ${insuranceId} was tried ${times} times`
        )
    }
  }
}

const isRefusal = ({ _tag }: Settlement["verdict"]): boolean => _tag === "Release" || _tag === "Free"
