import { type DateTime, Duration, Schema } from "effect"
import type { CompanyId } from "./Ids.ts"

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

/** Maximum age of what a process remembers of the directory, for example of a company's cell. */
export const directoryAge_max = Duration.seconds(5)

/** The move of a company to another cell, from its begin until the company is open in its cell. */
export interface CompanyMove {
  readonly companyId: CompanyId
  readonly source: CellName
  readonly target: CellName
  readonly begunAt: DateTime.Utc
}
