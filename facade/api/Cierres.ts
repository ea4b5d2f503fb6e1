import { Effect, Option, Schema, Stream } from "effect"
import type { Company } from "../../core/domain/Company.ts"
import { NotFound } from "../../core/domain/Errors.ts"
import type { DayRange } from "../../core/domain/LocalTime.ts"
import type { Page } from "../../core/domain/Page.ts"
import { Closings } from "../../core/ports/Closings.ts"
import { TableRenderer } from "../../core/ports/Renderers.ts"
import { FileReply } from "./Call.ts"
import {
  ClosingView,
  closingColumns,
  closingExample,
  closingRows,
  closingView,
  printedClosing,
  printedClosings
} from "./ClosingView.ts"
import { csvFile, csvText } from "./Csv.ts"
import { pageOf, paging, pathDay } from "./Fields.ts"
import { requires } from "./Gate.ts"
import { input } from "./Input.ts"
import { pagesOf } from "./Output.ts"
import { query } from "./Procedure.ts"

const gate = requires("balance.read")
const tag = "Cuenta"
const files = ["text/csv", "application/pdf"] as const
const fileExample = csvText(closingColumns, closingRows(closingExample))

const formato = (description: string) =>
  Schema.optionalKey(Schema.Literals(["json", "csv", "pdf"]).annotate({ description }))

const foundMessage = (total: number): string => `Cierres encontrados: ${total}.`

/** The position of a page in a list. It needs no `hasta_id`, because `date_to` keeps new rows out of the list. */
const Pages = Schema.Struct({
  page: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int,
  total_pages: Schema.Int
}).annotate({ identifier: "Paginas" })

const listCsv = Effect.fnUntraced(function* (company: Company, days: DayRange) {
  const closings = yield* Closings
  const rows = Stream.flatMap(closings.all(company.id, days), (closing) =>
    Stream.fromIterable(closingRows(closingView(closing)))
  )
  return yield* csvFile("cierres", closingColumns, rows)
})

const listPdf = Effect.fnUntraced(function* ({ id, legalName }: Company, days: DayRange, page: Page) {
  const closings = yield* Closings
  const renderer = yield* TableRenderer
  const { items } = yield* closings.list(id, days, page)
  const table = printedClosings(legalName, items)
  return new FileReply({ type: "application/pdf", name: "cierres.pdf", shown: true, body: renderer.pdf(table) })
})

/** The closings of the caller's company, newest first. Contract: 4.8. */
export const listarCierres = query({
  gate,
  input: input({
    page: paging.page,
    per_page: paging.per_page,
    date_from: paging.date_from,
    date_to: paging.date_to,
    formato: formato(
      "csv: todos los cierres de los días pedidos, sin páginas. pdf: los cierres de la página, una línea por día."
    )
  }),
  output: Schema.Struct({ items: Schema.Array(ClosingView), pagination: Pages }).annotate({ identifier: "Cierres" }),
  meta: {
    path: "/v1/cierres",
    aliases: ["/v1/closings"],
    summary: "Los cierres diarios, del más reciente al más antiguo",
    tag,
    files,
    fileExample,
    errors: ["DOCUMENTO_NO_DISPONIBLE"],
    example: {
      message: foundMessage(1),
      data: { items: [closingExample], pagination: { page: 1, per_page: 50, total: 1, total_pages: 1 } }
    }
  },
  handle: Effect.fnUntraced(function* ({ call, input, session }) {
    const closings = yield* Closings
    const page = pageOf(input)
    const { items, total } = yield* closings.list(
      session.company.id,
      { from: input.date_from, to: input.date_to },
      page
    )
    call.reply.message = foundMessage(total)
    return { items: items.map(closingView), pagination: pagesOf(page, total) }
  }),
  file: ({ input, session: { company } }) => {
    const days = { from: input.date_from, to: input.date_to }
    if (input.formato === "csv") return listCsv(company, days)
    return input.formato === "pdf" ? listPdf(company, days, pageOf(input)) : undefined
  }
})

/** Finds the closing of a day, or fails with NotFound. */
const closingOf = Effect.fnUntraced(function* ({ id }: Company, day: string) {
  const closings = yield* Closings
  const found = yield* closings.find({ companyId: id, day })
  return Option.isSome(found) ? found.value : yield* new NotFound()
})

const dayCsv = Effect.fnUntraced(function* (company: Company, day: string) {
  const closing = yield* closingOf(company, day)
  return yield* csvFile(`cierre-${day}`, closingColumns, Stream.fromIterable(closingRows(closingView(closing))))
})

const dayPdf = Effect.fnUntraced(function* (company: Company, day: string) {
  const renderer = yield* TableRenderer
  const table = printedClosing(company.legalName, yield* closingOf(company, day))
  return new FileReply({ type: "application/pdf", name: `cierre-${day}.pdf`, shown: true, body: renderer.pdf(table) })
})

/** The closing of one day. Contract: 4.8. */
export const verCierre = query({
  gate,
  input: input({ dia: pathDay("El día, AAAA-MM-DD."), formato: formato("csv o pdf: el cierre como archivo.") }),
  output: ClosingView,
  meta: {
    path: "/v1/cierres/{dia}",
    aliases: ["/v1/closings/{dia}"],
    summary: "El cierre de un día",
    tag,
    message: "Cierre del día.",
    files,
    fileExample,
    errors: ["NOT_FOUND", "DOCUMENTO_NO_DISPONIBLE"],
    example: { data: closingExample }
  },
  handle: ({ input: { dia }, session }) => Effect.map(closingOf(session.company, dia), closingView),
  file: ({ input: { dia, formato }, session }) => {
    if (formato === "csv") return dayCsv(session.company, dia)
    return formato === "pdf" ? dayPdf(session.company, dia) : undefined
  }
})
