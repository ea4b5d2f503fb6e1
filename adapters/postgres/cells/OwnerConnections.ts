import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { CellName } from "../../../core/domain/Cell.ts"
import { CellsUnreachable } from "../../../core/domain/CellErrors.ts"
import { nodeClients } from "../connection/Cell.ts"
import { asWorker } from "../schema/CitusCell.ts"

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

/**
 * Checks that the owner's connections reach nodes, and that their logins own the cells there.
 *
 * @param moved what moves. A whole cell moves neither to nor from a worker of a Citus cluster, because the cluster has its tables.
 */
export const requireOwned = <OE>(owner: OwnerLayer<OE>, moved: "company" | "cell") =>
  Effect.fnUntraced(function* (places: ReadonlyArray<{ readonly node: string; readonly cell: CellName | null }>) {
    const unreachable = (node: string, why: CellsUnreachable["why"]) => new CellsUnreachable({ node, why })
    const check = asOwner(owner)((clientOn) =>
      Effect.forEach(
        places,
        Effect.fnUntraced(
          function* ({ cell, node }) {
            const sql = yield* clientOn(node)
            const [row] = yield* sql<{ owns: boolean }>`
              select
                has_database_privilege(current_database(), 'CREATE')
                and not exists (
                  select from pg_namespace where nspname = ${cell} and not pg_has_role(nspowner, 'USAGE')
                ) as owns`
            if (row?.owns !== true) return [unreachable(node, "login")]
            if (moved === "company") return []
            const worker = yield* Effect.provideService(asWorker, SqlClient.SqlClient, sql)
            return worker === null ? [] : [unreachable(node, "cluster")]
          },
          (checked, { node }) =>
            Effect.catchTags(checked, {
              NodeUnknown: () => Effect.succeed([unreachable(node, "unknown_node")]),
              DatabaseUnavailable: () => Effect.succeed([unreachable(node, "node_down")])
            })
        )
      )
    )
    const [fault] = (yield* Effect.orDie(check)).flat()
    if (fault !== undefined) return yield* fault
  })
