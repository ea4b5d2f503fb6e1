import { Effect } from "effect"
import type { Leftover, NodeName } from "../domain/Cell.ts"
import { Leftovers } from "../ports/Leftovers.ts"
import { atomically, recordAudit, requireAction } from "./AuditTrail.ts"

const remove = Effect.fnUntraced(function* (node: NodeName, leftover: Leftover) {
  const leftovers = yield* Leftovers
  if (!(yield* leftovers.remove(node, leftover))) return false
  const { cell, companyId } = leftover
  yield* recordAudit("leftover_removed", companyId === null ? {} : { companyId }, { cell, node })
  return true
}, atomically)

/**
 * Removes the leftovers of moves from a node that was lost and answers again. Returns the leftovers, and whether each was
 * removed. A repeated call continues an interrupted removal.
 */
export const clearNode = Effect.fn("ClearNode.clearNode")(function* (node: NodeName) {
  yield* requireAction("cell")
  const leftovers = yield* Leftovers
  return yield* Effect.forEach(yield* leftovers.find(node), (leftover) =>
    Effect.map(remove(node, leftover), (isRemoved) => ({ ...leftover, isRemoved }))
  )
})
