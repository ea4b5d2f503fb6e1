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

/** Connections to the nodes other than main. Each is opened at its first use. */
export interface NodeConnections {
  /** Connects to the node, unless it is connected. Fails at once while its server does not answer. */
  readonly connect: (node: string) => Effect.Effect<Context.Context<NodeClients>, NodeUnknown | DatabaseUnavailable>
  /** Names of the nodes in the environment. */
  readonly names: ReadonlyArray<string>
}

/** Connections to the other nodes. By default there are none. */
export const Nodes = Context.Reference<NodeConnections>("saldo/adapters/Nodes", {
  defaultValue: () => ({ connect: (node) => Effect.fail(NodeUnknown.of(node)), names: [] })
})

/** How long callers receive the failure of a connection attempt before the next attempt. */
const failureTtl = Duration.seconds(1)

/** A node, as connections are built to it. */
export interface NodeAccess {
  readonly watch: NodeWatch
  /** Builds the connections. */
  readonly connections: Layer.Layer<NodeClients, DatabaseUnavailable>
}

/** Connections to nodes. Callers at the same time share one attempt to connect. */
export const layer = (nodes: ReadonlyMap<string, NodeAccess>) =>
  Layer.effect(
    Nodes,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const attempt = Effect.fnUntraced(function* (connecting: Layer.Layer<NodeClients, DatabaseUnavailable>) {
        const own = yield* Scope.fork(scope)
        return yield* Effect.onError(Layer.buildWithScope(Layer.fresh(connecting), own), (cause) =>
          Scope.close(own, Exit.failCause(cause))
        )
      })
      const connected = new Map<string, Effect.Effect<Context.Context<NodeClients>, DatabaseUnavailable>>()
      for (const [node, { connections, watch }] of nodes) {
        const shared = yield* Effect.cachedWithTTL(attempt(connections), (exit) =>
          Exit.isSuccess(exit) ? Duration.infinity : failureTtl
        )
        connected.set(node, Effect.andThen(watch.answers, shared))
      }
      return {
        connect: (node: string) => connected.get(node) ?? Effect.fail(NodeUnknown.of(node)),
        names: [...nodes.keys()]
      }
    })
  )
