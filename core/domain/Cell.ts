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
  /** The server to which the cell is moving. Null: it is not moving. */
  readonly movingTo: NodeName | null
  readonly state: CellState
  readonly companies: number
  /** Estimated number of rows. Null: the server does not answer. */
  readonly rows: number | null
  /** Size of its tables and indexes on disk. Null: the server does not answer. */
  readonly bytes: number | null
}

/** Maximum age of what a process remembers of the directory, for example of a company's cell. */
export const directoryAge_max = Duration.seconds(5)

/** The move of a company to another cell, from its begin until the company is open in its cell. */
export interface CompanyMove {
  readonly companyId: CompanyId
  readonly source: CellName
  readonly target: CellName
  readonly begunAt: DateTime.Utc
}

/** The move of a cell to another node, from its begin until its end. */
export interface CellMove {
  readonly name: CellName
  readonly source: NodeName
  readonly target: NodeName
  /** Whether the end of the move opens the cell. */
  readonly wasOpen: boolean
}
