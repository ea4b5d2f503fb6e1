import { Effect, Schema, Sink, Stream } from "effect"
import { type Entry, EntryType } from "../../core/domain/Account.ts"
import type { CompanyId } from "../../core/domain/Ids.ts"
import { type DayRange, formatLocal } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"
import { Statement } from "../../core/ports/Statement.ts"
import { FileReply } from "./Call.ts"
import { pageOf, paging, rangeOf } from "./Fields.ts"
import { requires } from "./Gate.ts"
import { input } from "./Input.ts"
import { LocalTimestamp, Pagination, Pesos, paginationOf } from "./Output.ts"
import { query } from "./Procedure.ts"

/** An entry of the statement. Contract: 4.2. */
export const EntryView = Schema.Struct({
  movimiento_id: Schema.Int,
  tipo: EntryType,
  monto: Pesos,
  saldo: Pesos,
  transaction_id: Schema.NullOr(Schema.Int),
  referencia: Schema.NullOr(Schema.String),
  fecha: LocalTimestamp
}).annotate({ identifier: "Movimiento" })

export const entryView = (entry: Entry): typeof EntryView.Type => ({
  movimiento_id: entry.id,
  tipo: entry.type,
  monto: toPesos(entry.amount),
  saldo: toPesos(entry.balance),
  transaction_id: entry.transactionId,
  referencia: entry.reference,
  fecha: formatLocal(entry.createdAt)
})

type Row = typeof EntryView.Type

/** The columns of the CSV. Their order is the order of the JSON fields. */
const columns = Object.keys(EntryView.fields) as ReadonlyArray<keyof Row>

// A spreadsheet would run a text with this first character as a formula, so an apostrophe is added before the text. A
// text that already begins with an apostrophe gets another apostrophe, so removing the first character always restores
// the text.
const formula = /^[=+\-@']/

const special = /[",\r\n]/

const csvCell = (cell: string | number | null): string => {
  if (cell === null) return ""
  if (typeof cell === "number") return String(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const csvLine = (cells: ReadonlyArray<string | number | null>): string => `${cells.map(csvCell).join(",")}\r\n`

const csvRow = (row: Row): string => csvLine(columns.map((column) => row[column]))

/**
 * The statement as CSV (RFC 4180) in UTF-8, with a header line. Null becomes an empty cell. The first row is read
 * before the response begins, so an unreadable statement causes an error response instead of a broken file.
 */
const csvOf = Effect.fnUntraced(function* (companyId: CompanyId, range: DayRange) {
  const statement = yield* Statement
  const rows = Stream.map(statement.all(companyId, range), entryView)
  const [first, others] = yield* Stream.peel(rows, Sink.take<Row>(1))
  const body = Stream.map(Stream.prepend(others, first), csvRow).pipe(
    Stream.prepend([csvLine(columns)]),
    Stream.encodeText
  )
  return new FileReply({ type: "text/csv; charset=utf-8", name: "movimientos.csv", shown: false, body })
})

const exampleRows: ReadonlyArray<Row> = [
  {
    movimiento_id: 2,
    tipo: "sale",
    monto: -100,
    saldo: 99_900,
    transaction_id: 1,
    referencia: null,
    fecha: "2026-01-31 14:05:09"
  },
  {
    movimiento_id: 1,
    tipo: "deposit",
    monto: 100_000,
    saldo: 100_000,
    transaction_id: null,
    referencia: "deposito-1",
    fecha: "2026-01-31 09:00:00"
  }
]

const foundMessage = (total: number): string => `Movimientos encontrados: ${total}.`

/** The statement of the caller's company, page by page or as CSV. Contract: 4.2. */
export const listarMovimientos = query({
  gate: requires("balance.read"),
  input: input({
    ...paging,
    formato: Schema.optionalKey(
      Schema.Literals(["json", "csv"]).annotate({
        description: "csv: todos los movimientos de los días pedidos, sin páginas."
      })
    )
  }),
  output: Schema.Struct({ items: Schema.Array(EntryView), pagination: Pagination }).annotate({
    identifier: "Movimientos"
  }),
  meta: {
    path: "/v1/movimientos",
    aliases: ["/v1/statement"],
    summary: "Los movimientos del saldo, del más reciente al más antiguo",
    tag: "Cuenta",
    file: "text/csv",
    fileExample: [csvLine(columns), ...exampleRows.map(csvRow)].join(""),
    example: {
      message: foundMessage(2),
      data: {
        items: exampleRows,
        pagination: { page: 1, per_page: 50, total: 2, total_pages: 1 }
      }
    }
  },
  handle: Effect.fnUntraced(function* ({ call, input, session }) {
    const statement = yield* Statement
    const page = pageOf(input)
    const { items, total } = yield* statement.page(session.company.id, rangeOf(input), page)
    call.reply.message = foundMessage(total)
    return { items: items.map(entryView), pagination: paginationOf(page, total) }
  }),
  file: ({ input, session }) => (input.formato === "csv" ? csvOf(session.company.id, rangeOf(input)) : undefined)
})
