import { lateOutcomes } from "../../core/domain/LateOutcome.ts"
import type { AuditEvent } from "../../core/ports/AuditLog.ts"
import type { Incarnation } from "../engine/Incarnation.ts"
import { broken, type Sim } from "../engine/Sim.ts"

/** Time allowed until the alert. Longer than a pause, and longer than a process keeps retrying without the database. */
const overdue_ms = 15 * 60_000

/**
 * Checks that a process raises an alert when a supplier contradicts a settled result, unless the process dies first.
 */
export interface Alerts {
  readonly contradicted: (incarnation: Incarnation, xid: string) => void
  readonly recorded: (event: AuditEvent) => void
  /** The names of the sales and reversals for which an alert was raised. */
  readonly raised: ReadonlySet<string>
  readonly atRest: () => void
}

// The audit log also records proposals and confirmations of operators. They are not alerts.
const isAlert = ({ action }: AuditEvent): boolean => lateOutcomes.some((kind) => kind === action)

export const alertsLaw = (sim: Sim): Alerts => {
  const owed = new Map<string, Incarnation>()
  const raised = new Set<string>()
  const demand = (xid: string, incarnation: Incarnation) => {
    if (owed.get(xid) !== incarnation || incarnation.dead) return
    broken(sim, "a contradiction is an alert", `${incarnation.name} heard one of ${xid} and kept it to itself`)
  }
  return {
    raised,
    contradicted: (incarnation, xid) => {
      owed.set(xid, incarnation)
      // The check runs during the run, because few processes live until its end.
      sim.world.after(overdue_ms, null, () => demand(xid, incarnation))
    },
    recorded: (event) => {
      if (!isAlert(event)) return
      const xid = String(event.details["xid"])
      owed.delete(xid)
      raised.add(xid)
    },
    atRest: () => {
      for (const [xid, incarnation] of owed) demand(xid, incarnation)
    }
  }
}
