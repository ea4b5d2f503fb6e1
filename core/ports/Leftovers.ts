import { Context, type Effect } from "effect"
import type { Leftover, NodeName } from "../domain/Cell.ts"
import type { CellsUnreachable } from "../domain/CellErrors.ts"

/** The frozen rows that moves have left on servers that were lost. No process reads them for a company. */
export class Leftovers extends Context.Service<
  Leftovers,
  {
    /** The leftovers on a node. Needs the login that owns its database. */
    readonly find: (node: NodeName) => Effect.Effect<ReadonlyArray<Leftover>, CellsUnreachable>
    /**
     * Removes a leftover. Returns false, and changes nothing, if the place that the directory names does not answer or lacks the
     * rows, if a move has begun, or if other transactions use the rows. Needs a transaction.
     */
    readonly remove: (node: NodeName, leftover: Leftover) => Effect.Effect<boolean>
  }
>()("saldo/core/Leftovers") {}
