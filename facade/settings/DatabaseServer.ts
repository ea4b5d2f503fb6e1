import { Context, Effect, Layer, Redacted } from "effect"
import { EmbeddedPostgres } from "../../adapters/embedded/EmbeddedPostgres.ts"
import { anyRoleReaderLayer, readerLayer } from "../../adapters/postgres/connection/CompanyReads.ts"
import * as Database from "../../adapters/postgres/connection/Database.ts"
import { type NodeClients, layer as nodesLayer, nodeVariable } from "../../adapters/postgres/connection/Nodes.ts"
import { type NodeWatch, watchNode } from "../../adapters/postgres/connection/NodeWatch.ts"
import { bestEffortConnection, sharedBestEffortConnection } from "../../adapters/postgres/grouping/BestEffortWrites.ts"
import { migrate, requireOperatorRole } from "../../adapters/postgres/schema/Migrations.ts"
import { clusterNodes } from "./ClusterNodes.ts"
import { type NodeAddress, nodeMigrationVariable } from "./NodeSettings.ts"
import { Settings } from "./Settings.ts"

/** The database role in which a process works. */
export type DatabaseRole = "saldo_server" | "saldo_operator"

/** A database server that has cells and is not the server of DATABASE_URL. */
interface WatchedNode extends NodeAddress {
  /** Detects that the server does not answer. One watch serves all connections of this process. */
  readonly watch: NodeWatch
}

/** The Postgres server with the data. */
export class DatabaseServer extends Context.Service<
  DatabaseServer,
  {
    readonly url: Redacted.Redacted
    /** The address with the login that changes the schema. Null if `url` has that login. */
    readonly migrationUrl: Redacted.Redacted | null
    /**
     * Whether the server is the embedded one. Its login has all rights, so sessions switch to a role with fewer rights.
     */
    readonly ours: boolean
    /** Description of the server, without secrets. */
    readonly place: string
    /** The other servers with cells, by the name of the node. */
    readonly nodes: ReadonlyMap<string, WatchedNode>
  }
>()("saldo/facade/Store") {
  /** The server of DATABASE_URL or, without DATABASE_URL, the embedded server. */
  static readonly layer = Layer.unwrap(
    Settings.useSync(({ dataDirectory, databaseUrl, migrationUrl, nodes }) =>
      databaseUrl === null
        ? embeddedServer(dataDirectory, nodes)
        : Layer.effect(
            DatabaseServer,
            Effect.gen(function* () {
              const found = yield* clusterNodes(databaseUrl, migrationUrl)
              return DatabaseServer.of({
                url: databaseUrl,
                migrationUrl,
                ours: false,
                place: describeServer(databaseUrl),
                nodes: yield* watched(new Map([...found, ...nodes]))
              })
            })
          )
    )
  )
}

const watched = (nodes: ReadonlyMap<string, NodeAddress>) =>
  Effect.map(
    Effect.forEach(nodes, ([name, address]) =>
      Effect.map(watchNode(name, address.url), (watch) => [name, { ...address, watch }] as const)
    ),
    (found): ReadonlyMap<string, WatchedNode> => new Map(found)
  )

const embeddedServer = (dataDirectory: string, nodes: ReadonlyMap<string, NodeAddress>) =>
  Layer.effect(
    DatabaseServer,
    Effect.gen(function* () {
      const { directory, url } = yield* EmbeddedPostgres
      const place = `${directory} (embedded Postgres)`
      return DatabaseServer.of({ url, migrationUrl: null, ours: true, place, nodes: yield* watched(nodes) })
    })
  ).pipe(Layer.provide(EmbeddedPostgres.layer({ dataDirectory })))

const describeServer = (url: Redacted.Redacted): string => {
  const { host, pathname } = new URL(Redacted.value(url))
  return `the database ${pathname.slice(1)} at ${host}`
}

/** The address of a node, and the name of its variable. */
type Place = Pick<Database.DatabaseOptions, "connect_max" | "socket" | "url" | "variable">

/**
 * Timeout of an attempt to connect to another node. It is shorter than the timeout of a readiness check, so that
 * readiness does not fail because another node is down.
 */
const connect_max = "1 second"

type Connect = (place: Place) => Layer.Layer<NodeClients, Database.DatabaseUnavailable>

const serverOf = (name: string, { url }: NodeAddress): Place => ({ url, variable: nodeVariable(name) })

/** The address of a node, with the sockets that its watch can cut. */
const watchedPlace = (name: string, node: WatchedNode, placeOf = serverOf): Place => {
  const place = placeOf(name, node)
  return { ...place, connect_max, socket: () => node.watch.socket(place.url) }
}

/** Connections to the other nodes, made in the same way as the connections to the node main. */
const otherNodes = (
  nodes: ReadonlyMap<string, WatchedNode>,
  connect: Connect,
  { connectCell = null, placeOf }: { readonly connectCell?: Connect | null; readonly placeOf?: typeof serverOf } = {}
) =>
  Layer.unwrap(
    DatabaseServer.useSync(({ url }) => {
      const cellConnections = (name: string, connect: Connect) => {
        const node = nodes.get(name)
        return connect(node === undefined ? { url } : watchedPlace(name, node))
      }
      return nodesLayer(
        new Map(
          [...nodes].map(([name, node]) => {
            const connections = connect(watchedPlace(name, node, placeOf))
            return [name, { watch: node.watch, connections }]
          })
        ),
        connectCell && ((node) => cellConnections(node, connectCell))
      )
    })
  )

/**
 * Connections that also serve reads of one company and best-effort writes. `migratedConnections` has separate
 * connections for these.
 */
const sameForAll = (options: Database.DatabaseOptions) =>
  Layer.provideMerge(Layer.merge(anyRoleReaderLayer, sharedBestEffortConnection), Database.layer(options))

/** Connections to the database and to each node, without a migration. */
export const connections = (connections_max: number, parameters?: Database.DatabaseOptions["parameters"]) =>
  Layer.unwrap(
    DatabaseServer.useSync(({ nodes, url }) =>
      Layer.merge(
        Database.layer({ url, connections_max, parameters }),
        otherNodes(nodes, (place) => sameForAll({ ...place, connections_max, parameters }))
      )
    )
  )

const ownerOfNode = (name: string, { migrationUrl, url }: NodeAddress): Place =>
  migrationUrl === null
    ? { url, variable: nodeVariable(name) }
    : { url: migrationUrl, variable: nodeMigrationVariable(name) }

/** One connection to the database, and one to each node, with the login that may change the schema. */
export const ownerConnection = Layer.unwrap(
  DatabaseServer.useSync(({ migrationUrl, nodes, url }) =>
    Layer.merge(
      migrationUrl === null
        ? Database.layer({ url, connections_max: 1 })
        : Database.layer({ url: migrationUrl, connections_max: 1, variable: "MIGRATION_DATABASE_URL" }),
      otherNodes(nodes, (place) => sameForAll({ ...place, connections_max: 1 }), { placeOf: ownerOfNode })
    )
  )
)

/** One connection in four is reserved for reads of one company's data. */
const readingShare = 4

/**
 * A connection is reserved for best-effort writes only if more than three connections remain: two for notifications and
 * one for sales.
 */
const otherConnections_min = 3

// Migrates with the owner's login, so that the other login then finds the schema up to date. If the schema is then not
// up to date, the two addresses lead to different databases.
const migrationAsOwner = Layer.effectDiscard(Effect.provide(migrate, Layer.fresh(ownerConnection)))

/**
 * Divides the given number of connections: some read one company's data, one makes best-effort writes if enough remain,
 * and the others do everything else.
 *
 * @param isLazy whether a single connection for reads is opened by the first read.
 */
const dividedConnections = ({ connections_max, isLazy, parameters, ...place }: Database.DatabaseOptions) => {
  const readers = Math.max(1, Math.floor(connections_max / readingShare))
  const noters = connections_max - readers > otherConnections_min ? 1 : 0
  return {
    others: Database.layer({ ...place, connections_max: connections_max - readers - noters, parameters }),
    beside: Layer.merge(
      readerLayer({ ...place, connections_max: readers, isLazy: isLazy && readers === 1, parameters }),
      noters === 0 ? sharedBestEffortConnection : bestEffortConnection({ ...place, parameters })
    )
  }
}

/**
 * Number of connections that a server process opens for each of several cells.
 *
 * @param connections_max the value of PG_POOL_MAX.
 */
export const connectionsOfCell = (connections_max: number): number => Math.max(4, Math.floor(connections_max / 4))

/**
 * Lock timeout of the connections of one cell. After the timeout the statement is rolled back, so the caller may safely
 * retry.
 */
const lockTimeout = { lock_timeout: "3000" }

/**
 * The given number of connections to the database and to each node, after migrating the schema to this version. The
 * embedded server has a single login with all rights, so its sessions switch to the role. A server also has connections
 * for each of several cells. Commands have no connections of their own for each cell, because a command writes its
 * audit record in the transaction of the change.
 */
export const migratedConnections = (connections_max: number, role: DatabaseRole) =>
  Layer.unwrap(
    DatabaseServer.useSync(({ migrationUrl, nodes, ours, url }) => {
      const divided = (options: Database.DatabaseOptions) => {
        const { beside, others } = dividedConnections(options)
        return Layer.provideMerge(beside, others)
      }
      const asRole = ours ? { role } : undefined
      // Few commands read the data of one company.
      const isLazy = role === "saldo_operator"
      const ofCell: Connect = (place) =>
        divided({
          ...place,
          connections_max: connectionsOfCell(connections_max),
          parameters: place.url === url ? { ...lockTimeout, ...asRole } : lockTimeout
        })
      const onNodes = otherNodes(nodes, (place) => divided({ ...place, connections_max, isLazy }), {
        connectCell: role === "saldo_server" ? ofCell : null
      })
      const { beside, others } = dividedConnections({ url, connections_max, isLazy, parameters: asRole })
      const migrated = Layer.tap(others, (context) =>
        Effect.provide(role === "saldo_operator" ? Effect.andThen(migrate, requireOperatorRole) : migrate, context)
      )
      const connected = Layer.provideMerge(beside, Layer.provideMerge(migrated, onNodes))
      const hasOwner = migrationUrl !== null || [...nodes.values()].some((node) => node.migrationUrl !== null)
      return ours || hasOwner ? Layer.provide(connected, migrationAsOwner) : connected
    })
  )
