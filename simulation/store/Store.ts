import type { Context } from "effect"
import type { Books, Sale } from "../../adapters/memory/Books.ts"
import type { Balance } from "../../core/domain/Balance.ts"
import type { Entry } from "../../core/domain/Entry.ts"
import type { Invariant } from "../../core/domain/Invariants.ts"
import type { Limits } from "../../core/domain/Limits.ts"
import type { Life } from "../engine/Life.ts"
import type { Machine } from "../engine/Process.ts"
import type { Sim } from "../engine/Sim.ts"
import type { Ports } from "./Ports.ts"

/** A sale as the laws look at it. */
export type SaleSeen = Pick<Sale, "order" | "key" | "status" | "day" | "billId">

/** What the loops of a process may have to do. */
export type Chore = "recovery" | "messages"

/** An entry of the ledger that an operator made. */
export type ByHand = Pick<Entry, "type" | "amount" | "reference">

/** What can be seen of the database from above. */
interface Eyes {
  readonly balance: (companyId: number) => Balance
  readonly limits: (companyId: number) => Limits
  readonly sales: (companyId: number) => Iterable<SaleSeen>
  /** What operators did to the money. */
  readonly byHand: (companyId: number) => Iterable<ByHand>
  /** The names of the reversals that nobody has settled. */
  readonly undecided: (companyId: number) => Iterable<string>
}

/** Who is told of what is seen. */
export interface Watch {
  readonly seen: (sales: Iterable<SaleSeen>) => void
  readonly unsound: (invariant: Invariant, what: string) => void
}

/** A database under a simulation. */
export interface Store {
  /** The books themselves, where they are in memory. */
  readonly books: Books["Service"] | null
  /** Whether answers are heard in the order in which the database gave them. */
  readonly isHeardInOrder: boolean
  readonly eyes: Eyes
  /** The ports as a process has them that starts now. */
  readonly open: (sim: Sim, life: Life, machine: Context.Context<Machine>) => Ports
  /** The instant at which a loop next has something to do; null when nothing waits. */
  readonly due: (chore: Chore) => number | null
  /** Something was written, of a company's money unless null: it is looked at, now or soon. */
  readonly wrote: (companyId: number | null) => void
  /** Looks at the database: at once where that costs nothing, or else when it is next looked at as a whole. */
  readonly look: (check: () => void) => void
  /** Lets what happens outside the world's time come to its end; null where nothing does. */
  readonly settle: ((sim: Sim) => Promise<void>) | null
  /** Looks at everything. */
  readonly close: () => Promise<void>
}
