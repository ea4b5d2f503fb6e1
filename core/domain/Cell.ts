import { Schema } from "effect"

/** Name of a cell, and of its schema in the database. */
export const CellName = Schema.String.check(
  Schema.makeFilter((text: string) => /^[a-z][a-z0-9_]{1,30}$/.test(text) && !text.startsWith("pg_"), {
    message: "invalido"
  })
).pipe(Schema.brand("CellName"))
export type CellName = typeof CellName.Type

/** State of a cell. The calls of the companies of a closed cell are refused, and its background work pauses. */
export const CellState = Schema.Literals(["open", "closed"])
export type CellState = typeof CellState.Type

/** A cell: a part of the database with all rows of its companies. */
export interface Cell {
  readonly name: CellName
  /** Name of the Postgres server that holds the cell. */
  readonly node: string
  readonly state: CellState
  readonly companies: number
  /** Estimated number of rows. */
  readonly rows: number
  /** Size of its tables and indexes on disk. */
  readonly bytes: number
}
