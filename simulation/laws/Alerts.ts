import { lateOutcomes } from "../../core/domain/LateOutcome.ts"
import type { AuditEvent } from "../../core/ports/AuditLog.ts"
import type { Life } from "../engine/Life.ts"
import { broken, type Sim } from "../engine/Sim.ts"

/** Longer than whoever raises an alert may be paused, or insist on a database that is gone. */
const overdue_ms = 15 * 60_000

/** Whoever hears the opposite of what was settled raises an alert, unless it dies first. */
export interface Alerts {
  readonly contradicted: (life: Life, xid: string) => void
  readonly recorded: (event: AuditEvent) => void
  /** The names for which an alert was raised. */
  readonly raised: ReadonlySet<string>
  readonly atRest: () => void
}

// The log also tells what operators propose and confirm, by the same names: that is no alert.
const isAlert = ({ action }: AuditEvent): boolean => lateOutcomes.some((kind) => kind === action)

export const alertsLaw = (sim: Sim): Alerts => {
  const owed = new Map<string, Life>()
  const raised = new Set<string>()
  const demand = (xid: string, life: Life) => {
    if (owed.get(xid) !== life || life.dead) return
    broken(sim, "a contradiction is an alert", `${life.name} heard one of ${xid} and kept it to itself`)
  }
  return {
    raised,
    contradicted: (life, xid) => {
      owed.set(xid, life)
      // Nearly every process dies before the run is over: at rest hardly any would be left to answer for it.
      sim.world.after(overdue_ms, null, () => demand(xid, life))
    },
    recorded: (event) => {
      if (!isAlert(event)) return
      const xid = String(event.details["xid"])
      owed.delete(xid)
      raised.add(xid)
    },
    atRest: () => {
      for (const [xid, life] of owed) demand(xid, life)
    }
  }
}
