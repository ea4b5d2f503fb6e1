import type { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Exit, Layer, Schema, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { ReadingClient } from "./CompanyReads.ts"
import type { DatabaseUnavailable } from "./Database.ts"
import type { NodeWatch } from "./NodeWatch.ts"

/** The node of DATABASE_URL, which has the directory and the catalogue. */
export const mainNode = "main"

/** Name of the environment variable with the address of a node. */
export const nodeVariable = (node: string): string => `CELL_NODE_${node.toUpperCase()}_URL`

/** The environment has no address for a node. */
export class NodeUnknown extends Schema.TaggedError<NodeUnknown>()("NodeUnknown", { message: Schema.String }) {
  static of(node: string): NodeUnknown {
    return new NodeUnknown({ message: `there are cells on the node ${node}: set ${nodeVariable(node)} to its address` })
  }
}

/** The clients of a node. */
export type NodeClients = PgClient.PgClient | SqlClient.SqlClient | ReadingClient

/** A cell and its node. */
export interface CellPlace {
  readonly name: string
  readonly node: string
}

type Connected = Effect.Effect<Context.Context<NodeClients>, NodeUnknown | DatabaseUnavailable>

/** Connections to the nodes other than main, and to cells. Each is opened at its first use. */
export interface NodeConnections {
  /** Connects to the node, unless it is connected. Fails immediately while its server does not answer. */
  readonly connect: (node: string) => Connected
  /**
   * Connects to the node with connections for this cell only. A statement that waits in this cell then delays no statement of another cell.
   * Null if all cells use the connections of their nodes.
   */
  readonly connectCell: ((place: CellPlace) => Connected) | null
  /** Names of the nodes in the environment. */
  readonly names: ReadonlyArray<string>
}

/** Connections to the other nodes. By default there are none. */
export const Nodes = Context.Reference<NodeConnections>("saldo/adapters/Nodes", {
  defaultValue: () => ({ connect: (node) => Effect.fail(NodeUnknown.of(node)), connectCell: null, names: [] })
})

/** How long the failure of an attempt to connect is kept. Callers receive this failure until the next attempt. */
const failureTtl = Duration.seconds(1)

/** The watch of a node, and the layer that connects to the node. */
export interface NodeAccess {
  readonly watch: NodeWatch
  /** Connects to the node. */
  readonly connections: Layer.Layer<NodeClients, DatabaseUnavailable>
}

/**
 * Connections to nodes and cells. Callers at the same time share one attempt to connect.
 *
 * @param cellConnections builds the connections of one cell of a node. They are closed when the scope closes.
 */
export const layer = (
  nodes: ReadonlyMap<string, NodeAccess>,
  cellConnections: ((node: string) => NodeAccess["connections"]) | null = null
) =>
  Layer.effect(
    Nodes,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const attempt = Effect.fnUntraced(function* (connecting: NodeAccess["connections"]) {
        const own = yield* Scope.fork(scope)
        return yield* Effect.onError(Layer.buildWithScope(Layer.fresh(connecting), own), (cause) =>
          Scope.close(own, Exit.failCause(cause))
        )
      })
      const shared = (connections: NodeAccess["connections"]) =>
        Effect.cachedWithTTL(attempt(connections), (exit) => (Exit.isSuccess(exit) ? Duration.infinity : failureTtl))
      const answered = (node: string) => nodes.get(node)?.watch.answers ?? Effect.void

      const connected = new Map<string, Connected>()
      for (const [node, { connections }] of nodes)
        connected.set(node, Effect.andThen(answered(node), yield* shared(connections)))

      const cells = new Map<string, Connected>()
      const connectCell =
        (connectionsOf: (node: string) => NodeAccess["connections"]) =>
        (place: CellPlace): Connected => {
          const key = `${place.node}.${place.name}`
          const made = Effect.map(shared(connectionsOf(place.node)), (connecting) => {
            const first = cells.get(key) ?? Effect.andThen(answered(place.node), connecting)
            cells.set(key, first)
            return first
          })
          return Effect.suspend(() => cells.get(key) ?? Effect.flatten(made))
        }

      return {
        connect: (node: string) => connected.get(node) ?? Effect.fail(NodeUnknown.of(node)),
        connectCell: cellConnections === null ? null : connectCell(cellConnections),
        names: [...nodes.keys()]
      }
    })
  )
