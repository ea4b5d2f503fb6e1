import { lateOutcomes } from "../../core/domain/LateOutcome.ts"
import type { AuditEvent } from "../../core/ports/AuditLog.ts"
import type { Life } from "../engine/Life.ts"
import { broken, type Sim } from "../engine/Sim.ts"

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
  return {
    raised,
    contradicted: (life, xid) => void owed.set(xid, life),
    recorded: (event) => {
      if (!isAlert(event)) return
      const xid = String(event.details["xid"])
      owed.delete(xid)
      raised.add(xid)
    },
    atRest: () => {
      for (const [xid, life] of owed)
        if (!life.dead)
          broken(sim, "a contradiction is an alert", `${life.name} heard one of ${xid} and kept it to itself`)
    }
  }
}
