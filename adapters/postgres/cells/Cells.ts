import { PgClient } from "@effect/sql-pg"
import { type Cause, Context, Effect, Exit, Layer, Option, Semaphore } from "effect"
import { CompanyClosed } from "../../../core/domain/Errors.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { CellFilter } from "../../../core/ports/CellFilter.ts"
import { CellName, DirectoryClient } from "../connection/Cell.ts"
import { DirectoryChanges } from "../connection/DirectoryChanges.ts"
import { mainNode, Nodes } from "../connection/Nodes.ts"
import { isUnreachable } from "../connection/SqlFailure.ts"
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
    /** All cells, the first one first. */
    readonly list: Effect.Effect<ReadonlyArray<CellRecord>>
    /** The name of the company's cell. The first cell if the company does not exist. */
    readonly of: (companyId: CompanyId) => Effect.Effect<string>
  }
>()("saldo/adapters/Cells") {}

type Place = Pick<CellRecord, "name" | "node">

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
    // With a single cell, a company needs no query.
    of: (companyId) =>
      Effect.flatMap(list, (cells) =>
        cells.length > 1 ? companies.get(String(companyId)) : Effect.succeed(cells[0]?.name ?? firstCell)
      )
  })
})

/** The first cell of every installation. */
const firstCell = "cell"

/** `Cells` in Postgres. */
export const layer = Layer.provide(Layer.effect(Cells, make), DirectoryChanges.layer)

/** The calls that end what is in progress. They fail like those of the node main, because their callers try them again. */
const endings: ReadonlySet<string> = new Set(["settle", "record"])

const closedIfUnreachable = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.catchDefect(call, (defect) => Effect.die(isUnreachable(defect) ? new CompanyClosed() : defect))

/**
 * The instance of a cell on another node. While the node cannot be reached, its companies get the response of a closed
 * company, because nothing of theirs has changed.
 */
const onOtherNode = <Service extends object>(service: Service): Service => {
  const guarded = Object.entries(service).map(([name, member]) => {
    if (typeof member !== "function" || endings.has(name)) return [name, member]
    const call = (...args: ReadonlyArray<unknown>) => {
      const result: unknown = member(...args)
      return Effect.isEffect(result) ? closedIfUnreachable(result) : result
    }
    return [name, call]
  })
  return Object.fromEntries(guarded) as Service
}

/** The instances of an adapter, one for each cell. */
export interface PerCell<Service> {
  /** The instance for the company's cell. */
  readonly of: (companyId: CompanyId) => Effect.Effect<Service>
  /** The instances for the cells of `CellFilter`, the first cell first. */
  readonly all: Effect.Effect<ReadonlyArray<Service>>
  /** The instances of `all` for open cells. Background work of a closed cell pauses. */
  readonly open: Effect.Effect<ReadonlyArray<Service>>
  /** The instances of `all` for the first cell of each node. */
  readonly ofNodes: Effect.Effect<ReadonlyArray<Service>>
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

  const build = ({ name, node }: Place, clients: Context.Context<R>) =>
    Layer.buildWithScope(Layer.fresh(layer), scope).pipe(
      Effect.provideService(CellName, name),
      Effect.provide(clients),
      Effect.map((services) => Context.get(services, port)),
      Effect.map((service) => (node === mainNode ? service : onOtherNode(service))),
      Effect.tap((service) => Effect.sync(() => built.set(name, Effect.succeed(service))))
    )

  /** The services of the adapter, with the clients of the node. */
  const clientsOf = Effect.fnUntraced(function* (node: string) {
    if (node === mainNode) return context
    const clients = yield* closedIfUnreachable(Effect.orDie(nodes.connect(node)))
    return Context.merge(context, Context.add(clients, DirectoryClient, directory)) as Context.Context<R>
  })

  // Connects before it waits for other builds, so that a node that does not answer delays no other cell.
  const buildOnce = Effect.fnUntraced(function* (place: Place) {
    const clients = yield* clientsOf(place.node)
    return yield* building.withPermits(1)(Effect.suspend(() => built.get(place.name) ?? build(place, clients)))
  })

  const instance = (name: string): Effect.Effect<Service> =>
    built.get(name) ??
    Effect.flatMap(cells.list, (records) =>
      buildOnce(records.find((record) => record.name === name) ?? { name, node: mainNode })
    )

  const instances = Effect.fnUntraced(function* (
    isWanted: (cell: CellRecord, index: number, cells: ReadonlyArray<CellRecord>) => boolean
  ) {
    const only = yield* CellFilter
    const records = (yield* cells.list).filter(({ name }) => only === null || name === only).filter(isWanted)
    return yield* Effect.forEach(records, ({ name }) => instance(name))
  })

  return {
    of: (companyId) => Effect.flatMap(cells.of(companyId), instance),
    all: instances(() => true),
    open: instances(({ state }) => state === "open"),
    ofNodes: instances(({ node }, index, records) => records.findIndex((other) => other.node === node) === index)
  } satisfies PerCell<Service>
})

/** The first result that a cell has. */
export const findIn = Effect.fnUntraced(function* <Service, A, E>(
  all: PerCell<Service>["all"],
  find: (cell: Service) => Effect.Effect<Option.Option<A>, E>
) {
  for (const cell of yield* all) {
    const found = yield* find(cell)
    if (Option.isSome(found)) return found
  }
  return Option.none<A>()
})

/** Logs the failures of cells. Fails if all the cells that were asked have failed. */
const reported = (failures: ReadonlyArray<Cause.Cause<never>>, asked: number): Effect.Effect<void> => {
  const [first] = failures
  return first !== undefined && failures.length === asked
    ? Effect.failCause(first)
    : Effect.forEach(failures, (cause) => Effect.logError("a cell could not do its part of the work", cause), {
        discard: true
      })
}

/** The results of all cells. A cell that fails is logged and left out. Fails if all cells fail. */
export const fromEach = Effect.fnUntraced(function* <Service, A>(
  all: PerCell<Service>["all"],
  ask: (cell: Service) => Effect.Effect<A>
) {
  const exits = yield* Effect.forEach(yield* all, (cell) => Effect.exit(ask(cell)))
  yield* reported(
    exits.filter(Exit.isFailure).map(({ cause }) => cause),
    exits.length
  )
  return exits.filter(Exit.isSuccess).map(({ value }) => value)
})

/**
 * Claims work in the open cells one after the other, up to the limit in total. Each claim begins with the next cell, so that no
 * cell with much work delays the others. A cell that fails is logged and left out. The claim fails if all cells fail.
 *
 * @param sizeOf how much of the limit a result of a cell uses.
 */
export const claimInTurn = <Service, Claim extends { readonly limit: number }, A>(
  open: PerCell<Service>["open"],
  claimOf: (cell: Service, claim: Claim) => Effect.Effect<ReadonlyArray<A>>,
  sizeOf: (claimed: A) => number = () => 1
) => {
  let turn = 0
  return Effect.fnUntraced(function* (claim: Claim) {
    const cells = yield* open
    turn = cells.length === 0 ? 0 : (turn + 1) % cells.length
    let limit = claim.limit
    const claimed: Array<A> = []
    const failures: Array<Cause.Cause<never>> = []
    for (const cell of [...cells.slice(turn), ...cells.slice(0, turn)]) {
      if (limit <= 0) break
      const exit = yield* Effect.exit(claimOf(cell, { ...claim, limit }))
      if (Exit.isSuccess(exit)) {
        claimed.push(...exit.value)
        limit -= exit.value.reduce((size, one) => size + sizeOf(one), 0)
      } else failures.push(exit.cause)
    }
    yield* reported(failures, cells.length)
    return claimed
  })
}
