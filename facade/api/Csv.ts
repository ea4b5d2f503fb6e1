import { Effect, Sink, Stream } from "effect"
import { FileReply } from "./Call.ts"

type Cell = string | number | null

// Without this mark, spreadsheet programs read the file in a local encoding and show wrong letters in place of accented
// ones.
export const byteOrderMark = "\uFEFF"

// A spreadsheet would run a text that begins with =, +, - or @ as a formula, so an apostrophe is added before the text. A
// text that already begins with an apostrophe gets another apostrophe. Removing the first apostrophe then always
// restores the text.
const formula = /^[=+\-@']/

const special = /[",\r\n]/

const csvCell = (cell: Cell): string => {
  if (cell === null) return ""
  if (typeof cell === "number") return String(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

type RowOf<Column extends string> = Readonly<Record<Column, Cell>>

const csvLine = (cells: ReadonlyArray<Cell>): string => `${cells.map(csvCell).join(",")}\r\n`

const csvRow = <Column extends string>(columns: ReadonlyArray<Column>, row: RowOf<Column>): string =>
  csvLine(columns.map((column) => row[column]))

/** The header line and the rows of a CSV file, as text. */
export const csvText = <Column extends string>(
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<RowOf<Column>>
): string => [csvLine(columns), ...rows.map((row) => csvRow(columns, row))].join("")

/** The lines of a CSV file: a byte order mark with the header, and the rows. Each line ends with its line break. */
export const csvLines = <Row extends RowOf<Column>, Column extends string, E, R>(
  columns: ReadonlyArray<Column>,
  rows: Stream.Stream<Row, E, R>
): Stream.Stream<string, E, R> =>
  Stream.map(rows, (row) => csvRow(columns, row)).pipe(Stream.prepend([byteOrderMark + csvLine(columns)]))

/**
 * Rows as a CSV file (RFC 4180) in UTF-8, with a byte order mark and a header line. Null becomes an empty cell. The
 * first row is read before the response begins, so unreadable rows cause an error response instead of a broken file.
 */
export const csvFile = Effect.fnUntraced(function* <Row extends RowOf<Column>, Column extends string>(
  name: string,
  columns: ReadonlyArray<Column>,
  rows: Stream.Stream<Row>
) {
  const [first, others] = yield* Stream.peel(rows, Sink.take<Row>(1))
  const body = Stream.encodeText(csvLines(columns, Stream.prepend(others, first)))
  return new FileReply({ type: "text/csv; charset=utf-8", name: `${name}.csv`, shown: false, body })
})
