import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { NodeName } from "../../core/domain/Cell.ts"
import { Leftovers } from "../../core/ports/Leftovers.ts"
import { clearNode } from "../../core/workflows/ClearNode.ts"
import { violatedInvariants } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { SecondPostgres } from "../support/SecondPostgres.ts"
import { node, onNode } from "./TwoNodes.ts"

const question = Effect.exit(onNode(PgClient.PgClient.use((sql) => sql`select`)))

/** Ends the server of the second node, as a power failure does. */
export const lose = Effect.gen(function* () {
  yield* (yield* SecondPostgres).kill
  yield* eventually(question, Exit.isFailure)
})

/** Starts the lost server again, with its data. */
export const bringBack = Effect.gen(function* () {
  yield* (yield* SecondPostgres).start
  yield* eventually(question, Exit.isSuccess)
  // The audit has its own connections to the node.
  yield* eventually(Effect.exit(violatedInvariants), Exit.isSuccess)
})

/** Why a command is refused: the reason and the node, or the tag of the error. */
export const refusal = <A, E extends { readonly _tag: string; readonly why?: string; readonly node?: string }, R>(
  command: Effect.Effect<A, E, R>
) => Effect.map(Effect.flip(command), ({ _tag, node, why }) => (node === undefined ? _tag : `${why} at ${node}`))

/** What `saldo doctor` and `saldo cell clear` find on the second node. */
export const leftovers = Leftovers.use(({ find }) => find(NodeName.make(node)))

/** Removes the leftovers of the second node, and asserts that all of them are removed. */
export const clear = Effect.gen(function* () {
  for (const { isRemoved } of yield* clearNode(NodeName.make(node))) assert.isTrue(isRemoved)
  assert.deepStrictEqual(yield* leftovers, [])
  assert.deepStrictEqual(yield* violatedInvariants, [])
})
