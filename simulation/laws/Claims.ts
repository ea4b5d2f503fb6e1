import { DateTime } from "effect"
import type { Claim } from "../../core/ports/Unresolved.ts"
import { broken, type Sim } from "../engine/Sim.ts"

/** Checks that a claim belongs to one recovery until its lease ends or its result is recorded. */
export interface ClaimsLaw {
  readonly claimed: (claim: Pick<Claim, "now" | "lease">, what: ReadonlyArray<string>) => void
  readonly released: (what: string) => void
}

export const claimsLaw = (sim: Sim, lease_min_ms: number): ClaimsLaw => {
  const until_ms = new Map<string, number>()
  return {
    claimed: ({ now }, what) => {
      // On SQL, the first claim may be reported last, so the order of claims is unknown.
      if (!sim.store.isHeardInOrder) return
      // Processes compare leases with their own clocks, so this check does too.
      const now_ms = DateTime.toEpochMillis(now)
      for (const one of what) {
        if ((until_ms.get(one) ?? 0) > now_ms) broken(sim, "one recovery at a time", `${one} is claimed twice`)
        until_ms.set(one, now_ms + lease_min_ms)
      }
    },
    released: (what) => void until_ms.delete(what)
  }
}
