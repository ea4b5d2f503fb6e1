import type { Mishaps } from "../faults/Mishaps.ts"
import type { Incarnation } from "./Incarnation.ts"
import type { Law } from "./Names.ts"
import type { Observed } from "./Observed.ts"
import type { Trace } from "./Trace.ts"
import type { World } from "./World.ts"

/** A violated invariant. */
export interface Violation {
  readonly law: Law
  readonly what: string
  readonly at_ms: number
}

/** The state that all parts of one run share. */
export interface Sim {
  readonly seed: number
  /** The instant at which the run starts. */
  readonly epoch_ms: number
  readonly world: World
  readonly trace: Trace
  readonly mishaps: Mishaps
  /** Until this time, the database is unreachable. */
  outageUntil_ms: number
  /** The first violation. The run ends with it. */
  violation: Violation | null
  readonly store: Observed
  /** Kills a process. Its replica starts another one later. */
  readonly kill: (incarnation: Incarnation) => void
  /** Starts a recovery in the other replica. */
  readonly rival: (incarnation: Incarnation) => void
}

export const say = (sim: Sim, where: string, what: string): void =>
  sim.trace.add({ at_ms: sim.world.now_ms, where, what })

/** Records a violation, if it is the first of the run. */
export const broken = (sim: Sim, law: Law, what: string): void => {
  if (sim.violation !== null) return
  sim.violation = { law, what, at_ms: sim.world.now_ms }
  say(sim, "law", `${law} is broken: ${what}`)
}
