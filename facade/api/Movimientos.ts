import { Effect, Schema, Stream } from "effect"
import { type Entry, EntryType } from "../../core/domain/Account.ts"
import type { CompanyId } from "../../core/domain/Ids.ts"
import { formatLocal } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"
import type { ListFilter } from "../../core/domain/Page.ts"
import { Statement } from "../../core/ports/Statement.ts"
import { csvFile, csvText } from "./Csv.ts"
import { listFilterOf, pageOf, paging } from "./Fields.ts"
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

/** The columns of the CSV. Their order is the order of the JSON fields. */
export const statementColumns = Object.keys(EntryView.fields) as ReadonlyArray<keyof typeof EntryView.Type>

/** The statement of a company as a CSV file. */
export const statementFile = Effect.fnUntraced(function* (companyId: CompanyId, filter: ListFilter) {
  const statement = yield* Statement
  return yield* csvFile("movimientos", statementColumns, Stream.map(statement.all(companyId, filter), entryView))
})

const exampleRows: ReadonlyArray<typeof EntryView.Type> = [
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
    files: ["text/csv"],
    fileExample: csvText(statementColumns, exampleRows),
    example: {
      message: foundMessage(2),
      data: {
        items: exampleRows,
        pagination: { page: 1, per_page: 50, total: 2, total_pages: 1, hasta_id: 2 }
      }
    }
  },
  handle: Effect.fnUntraced(function* ({ call, input, session }) {
    const statement = yield* Statement
    const page = pageOf(input)
    const slice = yield* statement.page(session.company.id, listFilterOf(input), page)
    call.reply.message = foundMessage(slice.total)
    return { items: slice.items.map(entryView), pagination: paginationOf(page, slice) }
  }),
  file: ({ input, session }) =>
    input.formato === "csv" ? statementFile(session.company.id, listFilterOf(input)) : undefined
})
