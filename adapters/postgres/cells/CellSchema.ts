import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import type { DatabaseUnavailable } from "../connection/Database.ts"
import { mainNode, type NodeUnknown } from "../connection/Nodes.ts"
import { hasSchema, isFree } from "../schema/AddCell.ts"
import {
  bringUpInCluster,
  bringUpOnWorker,
  clusterSchema,
  dropInCluster,
  place,
  type Worker
} from "../schema/CitusCell.ts"
import { workerOf } from "../schema/Migrations.ts"
import { bringUpCell, exclusively } from "../schema/SchemaChanges.ts"
import { notTooOld } from "../schema/ServerVersion.ts"
import { inMoveTransaction, type OwnedCell } from "./CopiedRows.ts"

/** A cell on a node, or a node to which a cell moves. */
export interface CellOnNode extends OwnedCell {
  readonly node: string
  /** The owner's connection to the coordinator, if the node is a worker of its Citus cluster. The cluster then has the tables. */
  readonly cluster: { readonly coordinator: PgClient.PgClient; readonly worker: Worker } | null
}

/** Runs an effect with this connection as its database. */
const on = <A, E, R>(sql: PgClient.PgClient, part: Effect.Effect<A, E, R>) =>
  Effect.provideService(part, SqlClient.SqlClient, sql)

/** A cell on a node, with the owner's connections. */
export const cellOn = Effect.fnUntraced(function* <E extends NodeUnknown | DatabaseUnavailable>(
  clientOn: (node: string) => Effect.Effect<PgClient.PgClient, E>,
  { name, node }: { readonly name: string; readonly node: string }
) {
  const sql = yield* clientOn(node)
  if (node === mainNode) return { name, node, sql, cluster: null } satisfies CellOnNode
  const coordinator = yield* clientOn(mainNode)
  const worker = yield* on(coordinator, workerOf(node))
  return { name, node, sql, cluster: worker === null ? null : { coordinator, worker } } satisfies CellOnNode
})

const schemaExists = ({ name, sql }: OwnedCell) => on(sql, hasSchema(name))

/** Whether the node already has a schema with the name of the cell, or rows of such a cell in its cluster. */
export const isTaken = Effect.fnUntraced(function* (cell: CellOnNode) {
  if (yield* schemaExists(cell)) return true
  return cell.cluster !== null && !(yield* on(cell.cluster.coordinator, isFree(clusterSchema(cell.name, cell.node))))
})

/**
 * Locks the cell until the transaction ends. Fails unless the whole cell is frozen. With `access share`, no other process
 * can drop the schema or make it writable again. With `access exclusive`, no other process can copy it either.
 */
export const requireFrozen = Effect.fnUntraced(function* (
  { name, sql }: OwnedCell,
  lock: "access share" | "access exclusive"
) {
  yield* sql`lock table ${sql(name)}.balance in ${sql.literal(lock)} mode`
  const frozen = yield* sql`
    select
    from ${sql(name)}.stored_tables() as s
    join pg_trigger as t on t.tgrelid = s.id and t.tgname = 'frozen_cell'
    where s.name = 'balance'`
  if (frozen.length === 0) return yield* Effect.die(new Error(`the cell ${name} is not frozen`))
})

const dropSchema = Effect.fnUntraced(function* (cell: OwnedCell, stillHeld: Effect.Effect<unknown, SqlError>) {
  if (!(yield* schemaExists(cell))) return
  yield* requireFrozen(cell, "access exclusive")
  yield* stillHeld
  yield* cell.sql.unsafe(`drop schema "${cell.name}" cascade`).unprepared
})

/**
 * Drops the frozen schema of a cell, if there is one, and the cell's tables in the cluster. Holds the lock of migrations
 * meanwhile, so that no other process makes these tables again before all of them are dropped.
 *
 * @param stillHeld fails if this process no longer holds the lock of the move. Runs after the table lock, which keeps other processes
 * from copying the schema.
 */
export const dropFrozen = (cell: CellOnNode, stillHeld: Effect.Effect<unknown, SqlError>) => {
  const { cluster, name, node, sql } = cell
  const dropped = inMoveTransaction(sql, dropSchema(cell, stillHeld))
  if (cluster === null) return dropped
  const everywhere = Effect.all([stillHeld, dropped, dropInCluster(name, node)], { discard: true })
  return inMoveTransaction(cluster.coordinator, on(cluster.coordinator, exclusively(everywhere)))
}

/**
 * Makes the schema of a cell and fills it, in one transaction of its node. Replaces a frozen schema of an earlier attempt. In a
 * cluster, the empty tables are committed before this transaction, and a repeated call makes them again.
 *
 * @param fill copies the rows.
 */
export const makeFilled = Effect.fnUntraced(function* <A, E, R>(
  cell: CellOnNode,
  stillHeld: Effect.Effect<unknown, SqlError>,
  fill: Effect.Effect<A, E, R>
) {
  const { cluster, name, node, sql } = cell
  if (cluster !== null) {
    yield* dropFrozen(cell, stillHeld)
    yield* on(cluster.coordinator, Effect.andThen(bringUpInCluster(name, node), place(name, node, cluster.worker)))
  }
  const made = Effect.gen(function* () {
    yield* dropSchema(cell, stillHeld)
    yield* on(sql, notTooOld)
    yield* on(sql, cluster === null ? bringUpCell(name, Effect.void) : bringUpOnWorker(name, node, Effect.void))
    return yield* fill
  })
  return yield* inMoveTransaction(sql, on(sql, exclusively(made)))
})
