import { Effect, Layer, Redacted } from "effect"
import { anyRoleReaderLayer } from "../../adapters/postgres/connection/CompanyReads.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import * as Nodes from "../../adapters/postgres/connection/Nodes.ts"
import { type NodeWatch, watchNode } from "../../adapters/postgres/connection/NodeWatch.ts"
import { sharedBestEffortConnection } from "../../adapters/postgres/grouping/BestEffortWrites.ts"
import { addCell } from "../../adapters/postgres/schema/AddCell.ts"
import { setBlockLength, testBlockLength } from "./SalesHistory.ts"

/** Connections to a database node of a test. */
export const connectionsTo = (
  url: Redacted.Redacted,
  { connections_max = 6, watch }: { readonly connections_max?: number; readonly watch?: NodeWatch } = {}
) =>
  Layer.provideMerge(
    Layer.merge(anyRoleReaderLayer, sharedBestEffortConnection),
    Database.layer({ url, connections_max, connect_max: "1 second", socket: watch && (() => watch.socket(url)) })
  )

/** A database node with this name and URL. */
export const nodeAt = (name: string, url: string, connections_max = 6) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const address = Redacted.make(url)
      const watch = yield* watchNode(name, address)
      return Nodes.layer(new Map([[name, { watch, connections: connectionsTo(address, { watch, connections_max }) }]]))
    })
  )

/** Adds a cell on another node to a test database. Needs the connection of the directory. */
export const addNodeCell = Effect.fnUntraced(function* (cell: string, node: string, url: string) {
  yield* Effect.provide(addCell(cell, node), nodeAt(node, url, 1))
  yield* Effect.provide(
    setBlockLength(testBlockLength, cell),
    connectionsTo(Redacted.make(url), { connections_max: 1 })
  )
}, Effect.orDie)
