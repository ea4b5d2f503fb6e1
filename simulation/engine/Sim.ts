import type { Mishaps } from "../faults/Mishaps.ts"
import type { Incarnation } from "./Incarnation.ts"
import type { Law } from "./Names.ts"
import type { Observed } from "./Observed.ts"
import type { Trace } from "./Trace.ts"
import type { World } from "./World.ts"

/** A law that was broken. */
export interface Violation {
  readonly law: Law
  readonly what: string
  readonly at_ms: number
}

/** What all parts of one run share. */
export interface Sim {
  readonly seed: number
  /** The instant at which the run begins. */
  readonly epoch_ms: number
  readonly world: World
  readonly trace: Trace
  readonly mishaps: Mishaps
  /** Until when nobody reaches the database. */
  outageUntil_ms: number
  /** The first law that was broken; the run ends there. */
  violation: Violation | null
  readonly store: Observed
  /** Ends the incarnation; another begins later. */
  readonly kill: (incarnation: Incarnation) => void
  /** Begins a recovery in the other replica. */
  readonly rival: (incarnation: Incarnation) => void
}

export const say = (sim: Sim, where: string, what: string): void =>
  sim.trace.add({ at_ms: sim.world.now_ms, where, what })

/** Notes that a law was broken, if it is the first. */
export const broken = (sim: Sim, law: Law, what: string): void => {
  if (sim.violation !== null) return
  sim.violation = { law, what, at_ms: sim.world.now_ms }
  say(sim, "law", `${law} is broken: ${what}`)
}
