import { Effect, Sink, Stream } from "effect"

type Cell = string | number | null

// A spreadsheet would run it as a formula. The quote is doubled, as it were, so that who takes one off gets the text.
const formula = /^[=+\-@']/

const special = /[",\r\n]/

const written = (cell: Cell): string => {
  if (cell === null) return ""
  if (typeof cell === "number") return String(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const lineOf = (cells: ReadonlyArray<Cell>): string => `${cells.map(written).join(",")}\r\n`

/**
 * Rows as CSV (RFC 4180), in UTF-8 and with a line of names. Null is an empty cell. A text that a spreadsheet could
 * take for a formula has an apostrophe before it. The first row has been read by then: rows that cannot be read fail
 * here, before anybody was told that there is a file.
 */
export const csvOf = Effect.fnUntraced(function* <Column extends string, E, R>(
  columns: ReadonlyArray<Column>,
  rows: Stream.Stream<Readonly<Record<Column, Cell>>, E, R>
) {
  const [first, others] = yield* Stream.peel(rows, Sink.take(1))
  return Stream.map(Stream.prepend(others, first), (row) => lineOf(columns.map((column) => row[column]))).pipe(
    Stream.prepend([lineOf(columns)]),
    Stream.encodeText
  )
})
