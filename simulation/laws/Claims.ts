import { DateTime } from "effect"
import type { Claim } from "../../core/ports/Unresolved.ts"
import { broken, type Sim } from "../engine/Sim.ts"

/** A claim belongs to one recovery until its lease ends or it says what came of it. */
export interface ClaimsLaw {
  readonly claimed: (claim: Pick<Claim, "now" | "lease">, what: ReadonlyArray<string>) => void
  readonly released: (what: string) => void
}

export const claimsLaw = (sim: Sim, lease_min_ms: number): ClaimsLaw => {
  const until_ms = new Map<string, number>()
  return {
    claimed: ({ now }, what) => {
      // Whoever claims first may hear of it last; then nobody here knows who had it when.
      if (!sim.store.isHeardInOrder) return
      // Each process believes its own clock, so it is by these clocks that a lease has ended or has not.
      const now_ms = DateTime.toEpochMillis(now)
      for (const one of what) {
        if ((until_ms.get(one) ?? 0) > now_ms) broken(sim, "one recovery at a time", `${one} is claimed twice`)
        until_ms.set(one, now_ms + lease_min_ms)
      }
    },
    released: (what) => void until_ms.delete(what)
  }
}
