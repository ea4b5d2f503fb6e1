import type { Context } from "effect"
import type { Books } from "../../adapters/memory/Books.ts"
import type { Incarnation } from "../engine/Incarnation.ts"
import type { Observed } from "../engine/Observed.ts"
import type { Sim } from "../engine/Sim.ts"
import type { Ports } from "../process/Ports.ts"
import type { Machine } from "../process/Process.ts"

/** The background loops of a process. */
export type Chore = "recovery" | "messages"

/** The database of a simulation. */
export interface Store extends Observed {
  /** The books in memory; null on SQL. */
  readonly books: Books["Service"] | null
  /** Creates the database ports of a process that starts. */
  readonly open: (sim: Sim, incarnation: Incarnation, machine: Context.Context<Machine>) => Ports
  /** The instant at which a background loop next has work; null when there is none. */
  readonly due: (chore: Chore) => number | null
  /**
   * Waits for work outside the event loop of the simulation, such as the driver of Postgres. Null when there is none.
   */
  readonly settle: ((sim: Sim) => Promise<void>) | null
  /** Audits everything a last time. */
  readonly close: () => Promise<void>
}
