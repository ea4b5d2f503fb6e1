import { lateOutcomes } from "../../core/domain/LateOutcome.ts"
import type { AuditEvent } from "../../core/ports/AuditLog.ts"
import type { Incarnation } from "../engine/Incarnation.ts"
import { broken, type Sim } from "../engine/Sim.ts"

/** Longer than whoever raises an alert may be paused, or insist on a database that is gone. */
const overdue_ms = 15 * 60_000

/** Whoever hears the opposite of what was settled raises an alert, unless it dies first. */
export interface Alerts {
  readonly contradicted: (incarnation: Incarnation, xid: string) => void
  readonly recorded: (event: AuditEvent) => void
  /** The names for which an alert was raised. */
  readonly raised: ReadonlySet<string>
  readonly atRest: () => void
}

// The log also tells what operators propose and confirm, by the same names: that is no alert.
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
      // Nearly every process dies before the run is over: at rest hardly any would be left to answer for it.
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
