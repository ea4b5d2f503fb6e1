import type { Context } from "effect"
import type { Books } from "../../adapters/memory/Books.ts"
import type { Incarnation } from "../engine/Incarnation.ts"
import type { Observed } from "../engine/Observed.ts"
import type { Sim } from "../engine/Sim.ts"
import type { Ports } from "../process/Ports.ts"
import type { Machine } from "../process/Process.ts"

/** What the loops of a process may have to do. */
export type Chore = "recovery" | "messages"

/** A database under a simulation. */
export interface Store extends Observed {
  /** The books themselves, where they are in memory. */
  readonly books: Books["Service"] | null
  /** The ports as a process has them that starts now. */
  readonly open: (sim: Sim, incarnation: Incarnation, machine: Context.Context<Machine>) => Ports
  /** The instant at which a loop next has something to do; null when nothing waits. */
  readonly due: (chore: Chore) => number | null
  /** Lets what happens outside the world's time come to its end; null where nothing does. */
  readonly settle: ((sim: Sim) => Promise<void>) | null
  /** Looks at everything. */
  readonly close: () => Promise<void>
}
