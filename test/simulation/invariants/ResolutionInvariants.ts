import { DateTime } from "effect"
import { lateOutcomes } from "../../../core/domain/AuditAction.ts"
import type { Proposal } from "../../../core/domain/Resolution.ts"
import type { Order } from "../../../core/domain/Sale.ts"
import type { AuditEvent } from "../../../core/ports/AuditLog.ts"
import type { RecoveryClaim } from "../../../core/ports/Unresolved.ts"
import type { Incarnation } from "../engine/EventLoop.ts"
import type { Activity } from "../engine/Faults.ts"
import { reportViolation, type Simulation } from "../engine/Simulation.ts"

/** Checks that a single operator cannot move money: the operator who proposed a resolution may not confirm it. */
export interface AgreementChecks {
  readonly proposed: (order: Order, proposal: Pick<Proposal, "proposedBy">, number: number) => void
  readonly confirmed: (order: Order, proposal: Pick<Proposal, "number">, operator: string) => void
}

export const checkAgreements = (sim: Simulation): AgreementChecks => {
  const proposers = new Map<string, string>()
  const nameOf = ({ transactionId }: Order, number: number): string => `proposal ${number} for sale ${transactionId}`
  return {
    proposed: (order, { proposedBy }, number) => void proposers.set(nameOf(order, number), proposedBy),
    confirmed: (order, { number }, operator) => {
      const name = nameOf(order, number)
      if (proposers.get(name) === operator)
        reportViolation(sim, "proposer and confirmer differ", `${operator} proposed and confirmed ${name}`)
    }
  }
}

/**
 * Maximum time until the alert. It is longer than a pause of a process, and longer than the time for which a process
 * retries while the database is unreachable.
 */
const overdue_ms = 15 * 60_000

/**
 * Checks that a process raises an alert when a supplier contradicts a settled result. A process that dies first need
 * not raise it.
 */
export interface AlertChecks {
  readonly contradicted: (incarnation: Incarnation, xid: string) => void
  readonly recorded: (event: AuditEvent, activity: Activity) => void
  /** The names of the sales and reversals for which an alert was raised. */
  readonly raised: ReadonlySet<string>
  /**
   * The names for which an alert was raised outside of follow-ups. Follow-ups ask again about settled sales,
   * and so find every contradiction.
   */
  readonly raisedAtOnce: ReadonlySet<string>
  readonly atRest: () => void
}

// The audit log also records proposals and confirmations of operators, which are not alerts.
const isAlert = ({ action }: AuditEvent): boolean => lateOutcomes.some((kind) => kind === action)

export const checkAlerts = (sim: Simulation): AlertChecks => {
  const owed = new Map<string, Incarnation>()
  const raised = new Set<string>()
  const raisedAtOnce = new Set<string>()
  const demand = (xid: string, incarnation: Incarnation) => {
    if (owed.get(xid) !== incarnation || incarnation.dead) return
    reportViolation(
      sim,
      "a contradiction raises an alert",
      `${incarnation.name} received a contradiction about ${xid} and raised no alert`
    )
  }
  return {
    raised,
    raisedAtOnce,
    contradicted: (incarnation, xid) => {
      owed.set(xid, incarnation)
      // This check cannot wait for the end of the run, because few processes live that long.
      sim.eventLoop.after(overdue_ms, null, () => demand(xid, incarnation))
    },
    recorded: (event, activity) => {
      if (!isAlert(event)) return
      const xid = String(event.details["xid"])
      owed.delete(xid)
      raised.add(xid)
      if (activity !== "follow-up") raisedAtOnce.add(xid)
    },
    atRest: () => {
      for (const [xid, incarnation] of owed) demand(xid, incarnation)
    }
  }
}

/** Checks that a claim belongs to only one recovery until its lease ends or its result is recorded. */
export interface LeaseChecks {
  readonly claimed: (claim: Pick<RecoveryClaim, "now" | "lease">, what: ReadonlyArray<string>) => void
  readonly released: (what: string) => void
}

export const checkLeases = (sim: Simulation, lease_min_ms: number): LeaseChecks => {
  const until_ms = new Map<string, number>()
  return {
    claimed: ({ now }, what) => {
      // On SQL, the order of claims is unknown, because the first claim may be reported last.
      if (!sim.store.areResponsesOrdered) return
      // Processes compare leases with their own clocks, so this check does too.
      const now_ms = DateTime.toEpochMillis(now)
      for (const one of what) {
        if ((until_ms.get(one) ?? 0) > now_ms)
          reportViolation(sim, "a claim has one owner at a time", `${one} is claimed twice`)
        until_ms.set(one, now_ms + lease_min_ms)
      }
    },
    released: (what) => void until_ms.delete(what)
  }
}
