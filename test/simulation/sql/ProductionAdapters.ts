import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Scope } from "effect"
import * as CellDirectoryPostgres from "../../../adapters/postgres/cells/CellDirectoryPostgres.ts"
import { Cells } from "../../../adapters/postgres/cells/Cells.ts"
import * as ClosingsOfCells from "../../../adapters/postgres/cells/ClosingsOfCells.ts"
import * as EventsOfCells from "../../../adapters/postgres/cells/EventsOfCells.ts"
import * as FollowUpsOfCells from "../../../adapters/postgres/cells/FollowUpsOfCells.ts"
import * as InsurancesOfCells from "../../../adapters/postgres/cells/InsurancesOfCells.ts"
import * as LedgerOfCells from "../../../adapters/postgres/cells/LedgerOfCells.ts"
import * as ReadsOfCells from "../../../adapters/postgres/cells/ReadsOfCells.ts"
import { anyRoleReaderLayer } from "../../../adapters/postgres/connection/CompanyReads.ts"
import { mainNode } from "../../../adapters/postgres/connection/Nodes.ts"
import * as AuditLogPostgres from "../../../adapters/postgres/directory/AuditLogPostgres.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { cellOf, simulatedCells } from "../process/CompaniesAndCatalogue.ts"
import type { Machine } from "../process/Process.ts"
import { type DatabasePorts, portsIn } from "../process/Store.ts"
import { type ConnectionHandler, WireSocket } from "./WireProtocol.ts"

/** The adapters that ask which cells there are. */
const adapters = {
  closings: Layer.merge(ClosingsOfCells.layer, ClosingsOfCells.proposalsLayer),
  events: EventsOfCells.layer,
  followUps: FollowUpsOfCells.layer,
  insurances: InsurancesOfCells.layer,
  ledger: LedgerOfCells.layer,
  reads: ReadsOfCells.companyLayer
} as const

/**
 * The cells as a process knows them. Companies stay in their cells.
 *
 * @param closed returns the cells that the process knows to be closed.
 */
const cellsWith = (closed: () => ReadonlySet<string>): Cells["Service"] =>
  Cells.of({
    list: Effect.sync(() =>
      simulatedCells.map((name) => ({ name, node: mainNode, state: closed().has(name) ? "closed" : "open" }))
    ),
    of: (companyId) => Effect.succeed(cellOf(companyId))
  })

const noCell: ReadonlySet<string> = new Set()

/** The cells as an observer reads them: all of them. */
export const allCellsLayer = Layer.succeed(
  Cells,
  cellsWith(() => noCell)
)

const noOwner = Layer.effectContext(Effect.die(new Error("no cell is added")))

/** A planted bug: the cells that some adapters see, instead of the cells that the process knows. */
export type RoutingBug = {
  readonly [Adapter in keyof typeof adapters]?: (known: Cells["Service"]) => Cells["Service"]
}

/** A bug planted into the adapters of each process. */
export interface AdapterBug {
  readonly routing?: RoutingBug
  /** Returns the changed ports. */
  readonly ports?: (ports: DatabasePorts) => Partial<DatabasePorts>
}

const adaptersWith = (known: Cells["Service"], bug: RoutingBug) => {
  const seenBy = (adapter: keyof typeof adapters) => Layer.succeed(Cells, bug[adapter]?.(known) ?? known)
  return Layer.mergeAll(
    AuditLogPostgres.layer,
    CellDirectoryPostgres.layer(noOwner),
    Layer.provide(adapters.closings, seenBy("closings")),
    Layer.provide(adapters.events, seenBy("events")),
    Layer.provide(adapters.followUps, seenBy("followUps")),
    Layer.provide(adapters.insurances, seenBy("insurances")),
    Layer.provide(adapters.ledger, seenBy("ledger")),
    Layer.provide(adapters.reads, seenBy("reads"))
  )
}

/**
 * The production driver, with one connection that stays inside this process. The first statement opens the connection,
 * so building the layer does not wait.
 */
const driver = (answerer: ConnectionHandler) =>
  PgClient.layerFrom(
    PgClient.make({
      stream: () => new WireSocket(answerer),
      username: "saldo",
      minConnections: 0,
      maxConnections: 1,
      // Without multiplexing, an interrupted statement waits on the timer of the machine instead of simulated time.
      multiplex: true,
      // The timeout is longer than the simulated time of any run.
      idleTimeout: "3650 days"
    })
  )

/**
 * The production adapters for one process, with its own clock, random numbers and connection.
 *
 * @param closed returns the cells that the process knows to be closed.
 */
export const productionAdapters = (
  machine: Context.Context<Machine>,
  answerer: ConnectionHandler,
  { bug, closed }: { readonly bug: AdapterBug; readonly closed: () => ReadonlySet<string> }
): DatabasePorts => {
  const known = adaptersWith(cellsWith(closed), bug.routing ?? {})
  const layer = Layer.fresh(known.pipe(Layer.provide(anyRoleReaderLayer), Layer.provide(driver(answerer))))
  const context = Effect.runSyncWith(machine)(Layer.buildWithScope(layer, Scope.makeUnsafe()))
  const ports = { ...portsIn(context), record: Context.get(context, AuditLog).record }
  return { ...ports, ...bug.ports?.(ports) }
}
