import { type DateTime, Duration, Schema } from "effect"
import type { CompanyId } from "./Ids.ts"

/** Name of a cell, and of its schema in the database. */
export const CellName = Schema.String.check(
  Schema.makeFilter((text: string) => /^[a-z][a-z0-9_]{1,30}$/.test(text) && !text.startsWith("pg_"), {
    message: "invalido"
  })
).pipe(Schema.brand("CellName"))
export type CellName = typeof CellName.Type

/** Name of a Postgres server that holds cells. It is a part of the name of an environment variable. */
export const NodeName = Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9]{0,30}$/)).pipe(Schema.brand("NodeName"))
export type NodeName = typeof NodeName.Type

/** State of a cell. The calls of the companies of a closed cell are refused, and its background work pauses. */
export const CellState = Schema.Literals(["open", "closed"])
export type CellState = typeof CellState.Type

/** A cell: a part of the database with all rows of its companies. */
export interface Cell {
  readonly name: CellName
  /** Name of the Postgres server that holds the cell. */
  readonly node: NodeName
  /** The server to which the cell is moving. Null: the cell is not moving. */
  readonly movingTo: NodeName | null
  readonly state: CellState
}

/** A cell with its size. */
export interface MeasuredCell extends Cell {
  readonly companies: number
  /** Estimated number of rows. Null: the server does not answer. */
  readonly rows: number | null
  /** Size of the cell's tables and indexes on disk, in bytes. Null: the server does not answer. */
  readonly bytes: number | null
}

/** Maximum age of directory data that a process has cached, such as the cell of a company. */
export const directoryAge_max = Duration.seconds(5)

/** The unfinished move of a company to another cell. */
export interface CompanyMove {
  readonly companyId: CompanyId
  readonly source: CellName
  readonly target: CellName
  readonly begunAt: DateTime.Utc
}

/** The unfinished move of a cell to another node. */
export interface CellMove {
  readonly name: CellName
  readonly source: NodeName
  readonly target: NodeName
  /** Whether the cell was open before the move. If so, the cell is opened again when the move ends. */
  readonly wasOpen: boolean
}

/**
 * Frozen (read-only) rows that a move has left on a lost server. They are the rows of one company in a cell, or of the
 * whole cell if `companyId` is null.
 */
export interface Leftover {
  readonly cell: CellName
  readonly companyId: CompanyId | null
}
