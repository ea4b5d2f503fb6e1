import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { CellName } from "../../../core/domain/Cell.ts"
import type { Reach } from "../../../core/domain/MoveReach.ts"
import { nodeClients } from "../connection/Cell.ts"
import { mainNode } from "../connection/Nodes.ts"

/** Connections of the owner to the database and to the nodes. They are opened for each use. */
export type OwnerLayer<E> = Layer.Layer<SqlClient.SqlClient | PgClient.PgClient, E>

/** Runs a part of a move with the owner's connections. The part gets the function that connects to a node. */
export const asOwner = <OE>(owner: OwnerLayer<OE>) => {
  const connections = Layer.fresh(owner)
  return <A, E, R>(
    part: (clientOn: Effect.Success<ReturnType<typeof nodeClients>>) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | OE, Exclude<R, PgClient.PgClient | SqlClient.SqlClient>> =>
    Effect.provide(Effect.flatMap(Effect.flatMap(PgClient.PgClient, nodeClients), part), connections)
}

/** A cell on a node, or a node on which the cell does not exist yet. */
interface OwnedPlace {
  readonly node: string
  readonly cell: CellName | null
}

/** The result for a move within the database of the directory. Such a move needs no connection of the owner. */
export const reachedMain: Reach = { node: mainNode, fault: null }

/** Makes the function that says whether the owner's connections reach nodes, and whether their logins own the cells. */
export const reachAsOwner = <OE>(owner: OwnerLayer<OE>) => {
  const faultAt = Effect.fnUntraced(function* (sql: PgClient.PgClient, cell: CellName | null) {
    const [row] = yield* sql<{ owns: boolean }>`
      select
        has_database_privilege(current_database(), 'CREATE')
        and not exists (
          select from pg_namespace where nspname = ${cell} and not pg_has_role(nspowner, 'USAGE')
        ) as owns`
    return row?.owns === true ? null : "login"
  })
  return (place: OwnedPlace): Effect.Effect<Reach> => {
    const reached = (fault: Reach["fault"]): Reach => ({ node: place.node, fault })
    return asOwner(owner)((clientOn) =>
      Effect.flatMap(clientOn(place.node), (sql) => faultAt(sql, place.cell)).pipe(
        Effect.map(reached),
        Effect.catchTags({
          NodeUnknown: () => Effect.succeed(reached("unknown_node")),
          DatabaseUnavailable: ({ answers }) => Effect.succeed(reached(answers ? "refused" : "node_down"))
        })
      )
    ).pipe(Effect.orDie)
  }
}
