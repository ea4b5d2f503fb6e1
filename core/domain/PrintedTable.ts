import { Schema } from "effect"

/** A column of a printed table: its heading, its part of the table's width, and the kind of its cells. Amounts are centavos. */
const PrintedColumn = Schema.Struct({
  heading: Schema.String,
  share: Schema.Finite,
  kind: Schema.Literals(["text", "count", "amount"])
})

/** A table on paper, with facts above it. */
export const PrintedTable = Schema.Struct({
  title: Schema.String,
  facts: Schema.Array(Schema.String),
  columns: Schema.Array(PrintedColumn),
  /** The cells of each row. Null prints nothing. */
  rows: Schema.Array(Schema.Array(Schema.NullOr(Schema.Union([Schema.String, Schema.Int])))),
  /** When the data was made. The document contains no other time, so the same data always gives equal bytes. */
  createdAt: Schema.DateTimeUtc
})
export type PrintedTable = typeof PrintedTable.Type
