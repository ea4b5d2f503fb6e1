import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Layer, Semaphore } from "effect"
import { CompanyClosed } from "../../../core/domain/Errors.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { CellFilter } from "../../../core/ports/CellFilter.ts"
import { CellName, CellTimeout, DirectoryClient, ListeningClient } from "../connection/Cell.ts"
import { type DatabaseUnavailable, PoolSize } from "../connection/Database.ts"
import { DirectoryChanges } from "../connection/DirectoryChanges.ts"
import { type CellPlace, mainNode, Nodes, type NodeUnknown } from "../connection/Nodes.ts"
import { isLate, isLost } from "../connection/SqlFailure.ts"
import { makeTtlCache } from "../connection/TtlCache.ts"
import { grouped } from "../grouping/Grouped.ts"

/** A cell as the directory lists it. */
export interface CellRecord {
  readonly name: string
  readonly state: "open" | "closed"
  /** The server that has the cell. */
  readonly node: string
}

/** The cells of the installation, and the cell of each company. Cached like tokens (TokenDirectoryPostgres.ts). */
export class Cells extends Context.Service<
  Cells,
  {
    /** All cells, beginning with the first cell. */
    readonly list: Effect.Effect<ReadonlyArray<CellRecord>>
    /** The name of the company's cell. The first cell if the company does not exist. */
    readonly of: (companyId: CompanyId) => Effect.Effect<string>
  }
>()("saldo/adapters/Cells") {}

/**
 * How long callers wait for a cell. This is longer than the lock timeout of the cell's connections. After a lock timeout,
 * nothing was written.
 */
const cell_max = Duration.seconds(5)

/** A cell, and whether it is the only cell of the installation. */
interface Place extends CellPlace {
  readonly isOnly: boolean
}

/**
 * The key of a cell's instance. A cell that has moved to another node, or is no longer the only cell, needs other
 * connections, and so another instance.
 */
const keyOf = ({ isOnly, name, node }: Place): string => `${node}.${name}${isOnly ? " alone" : ""}`

/** Maximum number of companies in the cache of cells. */
const companies_max = 100_000

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const readOf = grouped<string, string>(sql, "cells", (companyIds) =>
    Effect.map(
      sql<{ id: bigint; cell: string }>`
        select id, cell
        from directory.company
        where id = any (${companyIds.map(String)}::text[]::bigint[])`,
      (rows) => {
        const found = new Map(rows.map(({ cell, id }) => [String(id), cell]))
        return companyIds.map((companyId) => found.get(companyId) ?? firstCell)
      }
    )
  )
  const readAll = () => Effect.orDie(sql<CellRecord>`select name, state, node from directory.cell order by ordinal`)

  const all = makeTtlCache(readAll, 1)
  const companies = makeTtlCache(readOf, companies_max)
  const changes = yield* DirectoryChanges
  yield* changes.invalidate(Effect.andThen(all.forget, companies.forget))

  const list = all.get("")
  return Cells.of({
    list,
    of: (companyId) => companies.get(String(companyId))
  })
})

/** The first cell of every installation. */
const firstCell = "cell"

/** `Cells` in Postgres. */
export const layer = Layer.provide(Layer.effect(Cells, make), DirectoryChanges.layer)

/** The methods that end an operation in progress. Their callers retry a failed call. */
const endings: ReadonlySet<string> = new Set(["settle", "record"])

const closedIf = <A, E, R>(isDown: (error: unknown) => boolean, call: Effect.Effect<A, E, R>) =>
  Effect.catchDefect(call, (defect) => Effect.die(isDown(defect) ? new CompanyClosed() : defect))

const closedIfLost = <A, E, R>(call: Effect.Effect<A, E, R>) => closedIf(isLost, call)

/**
 * The instance of a cell that is not the only one. While the cell or its node does not answer, the companies of the cell
 * get the response of a closed company. They retry with the same idempotency key, and the retry finds the write of a lost
 * call.
 *
 * @param connect fails while the node does not answer, so that a call does not wait for it. Null on the node main, which
 * all companies need.
 */
const guardedCell = <Service extends object>(service: Service, connect: Effect.Effect<unknown> | null): Service => {
  const isDown = connect === null ? isLate : (error: unknown) => isLate(error) || isLost(error)
  const guarded = Object.entries(service).map(([name, member]) => {
    const guard = (call: Effect.Effect<unknown>) => {
      const connected = connect === null ? call : Effect.andThen(connect, call)
      return endings.has(name) ? connected : closedIf(isDown, connected)
    }
    if (Effect.isEffect(member)) return [name, guard(member as Effect.Effect<unknown>)]
    if (typeof member !== "function") return [name, member]
    const call = (...args: ReadonlyArray<unknown>) => {
      const result: unknown = member(...args)
      return Effect.isEffect(result) ? guard(result as Effect.Effect<unknown>) : result
    }
    return [name, call]
  })
  return Object.fromEntries(guarded) as Service
}

const isFull = (error: NodeUnknown | DatabaseUnavailable) =>
  error._tag === "DatabaseUnavailable" && error.isFull === true

// A cell without connections of its own uses the connections of its node, so a lock in the cell may delay other cells.
// This is better than refusing all calls of this cell.
const shareNode = (cell: string) => (error: Error) =>
  Effect.as(
    Effect.logError("a cell gets no connections of its own until the next start; raise max_connections of its server", {
      cell,
      error: error.message
    }),
    null
  )

/** A cell with its instance of an adapter. */
export interface CellPart<Service> {
  readonly name: string
  readonly node: string
  /** The instance. Dies with CompanyClosed while the node of the cell does not answer. */
  readonly service: Effect.Effect<Service>
}

/** The instances of an adapter, one for each cell. */
export interface PerCell<Service> {
  /** The instance for the company's cell. */
  readonly of: (companyId: CompanyId) => Effect.Effect<Service>
  /** The instances for the cells of `CellFilter`, beginning with the first cell. Fails if a cell's node does not answer. */
  readonly all: Effect.Effect<ReadonlyArray<Service>>
  /** The cells of `CellFilter`, beginning with the first cell. */
  readonly parts: Effect.Effect<ReadonlyArray<CellPart<Service>>>
  /** The open cells of `parts`. Background work of a closed cell pauses. */
  readonly open: Effect.Effect<ReadonlyArray<CellPart<Service>>>
  /** The first cell of each node of `parts`. */
  readonly ofNodes: Effect.Effect<ReadonlyArray<CellPart<Service>>>
}

/**
 * Builds an instance of an adapter for each cell, at the first use of the cell. Each instance groups its own calls. It
 * uses the connections to the node of its cell.
 *
 * @param layer the adapter. It reads `CellName` and its clients when it is built.
 */
export const perCell = Effect.fnUntraced(function* <Id, Service extends object, R>(
  port: Context.Key<Id, Service>,
  layer: Layer.Layer<Id, never, R>
) {
  const cells = yield* Cells
  const nodes = yield* Nodes
  const scope = yield* Effect.scope
  const context = yield* Effect.context<R>()
  const directory = yield* PgClient.PgClient
  const built = new Map<string, Effect.Effect<Service>>()
  const building = yield* Semaphore.make(1)

  const build = (place: Place, clients: Context.Context<R>) =>
    Layer.buildWithScope(Layer.fresh(layer), scope).pipe(
      Effect.provideService(CellName, place.name),
      Effect.provide(clients),
      Effect.map((services) => Context.get(services, port)),
      Effect.map((service) => {
        if (place.node !== mainNode) return guardedCell(service, Effect.orDie(nodes.connect(place.node)))
        return place.isOnly || nodes.connectCell === null ? service : guardedCell(service, null)
      }),
      Effect.tap((service) => Effect.sync(() => built.set(keyOf(place), Effect.succeed(service))))
    )

  /** The services of the adapter, with the clients of the node. */
  const clientsOfNode = Effect.fnUntraced(function* (node: string) {
    if (node === mainNode) return context
    const clients = yield* closedIfLost(Effect.orDie(nodes.connect(node)))
    return Context.merge(context, Context.add(clients, DirectoryClient, directory)) as Context.Context<R>
  })

  /** The services of the adapter, with connections that no other cell uses. Listeners use the node's connections. */
  const clientsOf = Effect.fnUntraced(function* (place: Place) {
    const ofNode = yield* clientsOfNode(place.node)
    if (place.isOnly || nodes.connectCell === null) return ofNode
    const own = yield* nodes
      .connectCell(place)
      .pipe(Effect.catchIf(isFull, shareNode(place.name)), Effect.orDie, closedIfLost)
    if (own === null) return ofNode
    return Context.merge(ofNode, own).pipe(
      Context.add(CellTimeout, cell_max),
      Context.add(ListeningClient, Context.get(ofNode as Context.Context<PgClient.PgClient>, PgClient.PgClient)),
      Context.add(PoolSize, Context.get(ofNode, PoolSize))
    ) as Context.Context<R>
  })

  // Connects before it waits for other builds, so that a node that does not answer delays no other cell.
  const buildOnce = Effect.fnUntraced(function* (place: Place) {
    const clients = yield* clientsOf(place)
    return yield* building.withPermits(1)(Effect.suspend(() => built.get(keyOf(place)) ?? build(place, clients)))
  })

  const instanceIn = (place: Place): Effect.Effect<Service> => built.get(keyOf(place)) ?? buildOnce(place)

  const instance = (name: string): Effect.Effect<Service> =>
    Effect.flatMap(cells.list, (records) => {
      const { node = mainNode } = records.find((record) => record.name === name) ?? {}
      return instanceIn({ name, node, isOnly: records.length === 1 })
    })

  // With a single cell, a company needs no query.
  const instanceOf = (companyId: CompanyId): Effect.Effect<Service> =>
    Effect.flatMap(cells.list, ([first, second]) =>
      first !== undefined && second === undefined
        ? instanceIn({ ...first, isOnly: true })
        : Effect.flatMap(cells.of(companyId), instance)
    )

  const partsWhere = Effect.fnUntraced(function* (
    isWanted: (cell: CellRecord, index: number, cells: ReadonlyArray<CellRecord>) => boolean
  ) {
    const only = yield* CellFilter
    const all = yield* cells.list
    const isOnly = all.length === 1
    const records = all.filter(({ name }) => only === null || name === only).filter(isWanted)
    return records.map(
      ({ name, node }): CellPart<Service> => ({
        name,
        node,
        service: Effect.suspend(() => instanceIn({ name, node, isOnly }))
      })
    )
  })
  const parts = partsWhere(() => true)

  return {
    of: instanceOf,
    all: Effect.flatMap(parts, (cells) => Effect.forEach(cells, ({ service }) => service)),
    parts,
    open: partsWhere(({ state }) => state === "open"),
    ofNodes: partsWhere(({ node }, index, records) => records.findIndex((other) => other.node === node) === index)
  } satisfies PerCell<Service>
})
