import { Effect, Stream } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { TerminalId } from "../../../core/domain/Ids.ts"
import type { Page } from "../../../core/domain/Page.ts"
import { ServiceType } from "../../../core/domain/Service.ts"
import { Status } from "../../../core/domain/Status.ts"
import { exportSales, findSales, listedDays_max, type SaleQuery } from "../../../core/workflows/FindSales.ts"
import { withinCell } from "../../../core/workflows/ManageCells.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { csvLines } from "../../api/Csv.ts"
import { pagesOf } from "../../api/Output.ts"
import { supplierNames } from "../../api/PanoramaView.ts"
import { csvColumns, csvRowOf, transactionView } from "../../api/TransactionView.ts"
import { orDefault, toggle } from "../terminal/Flags.ts"
import { formatTable, print, printCsv } from "../terminal/Output.ts"
import {
  cellFilter,
  companyFilter,
  dayFlag,
  labelFlag,
  pageNumber,
  pageSize,
  phoneFlag,
  serviceFilter,
  soughtFlag
} from "../terminal/Parameters.ts"
import { listPending } from "./PendingList.ts"
import { formatPagePosition, formatUnreadable, transactionDocument, transactionRow } from "./TransactionDocuments.ts"

const perPage_max = 200

const optional = orDefault(undefined, "any")

const searchFlags = {
  text: soughtFlag("buscar", "A sale's id, xid, key, identifier or phone, or the xid or key of its reversal"),
  phone: phoneFlag,
  xid: soughtFlag("xid", "The xid of the sale, or of its reversal"),
  key: soughtFlag("clave", "The Idempotency-Key of the sale, or of its reversal"),
  identifier: soughtFlag("identificador", "Phone, contract, account or plate of the sale")
}

const filterFlags = {
  cell: cellFilter,
  companyId: companyFilter,
  from: dayFlag("desde", "First day of the sales").pipe(optional),
  to: dayFlag("hasta", "Last day of the sales").pipe(optional),
  serviceId: serviceFilter,
  type: Flag.Literals("tipo", ServiceType.literals).pipe(
    Flag.withDescription("Only sales of services of this type"),
    optional
  ),
  terminalId: labelFlag("terminal", 50, "Only sales of this terminal (terminal_id)").pipe(
    Flag.map(TerminalId.make),
    optional
  ),
  state: Flag.Literals("estado", Status.literals).pipe(
    Flag.withDescription("Only transactions in this state"),
    optional
  ),
  status: Flag.Literals("status", Status.literals).pipe(Flag.withDescription("An earlier name of --estado"), optional)
}

const listFlags = {
  ...searchFlags,
  ...filterFlags,
  pending: toggle(
    "pendientes",
    "Only unresolved sales (PROCESSING and PENDING), and sales with an unresolved reversal"
  ),
  order: Flag.ChoiceWithValue("orden", [
    ["edad", "age"],
    ["monto", "amount"]
  ]).pipe(
    Flag.withDescription("With --pendientes: by age or by held amount. Reversals hold no money"),
    orDefault(undefined, "edad")
  ),
  supplier: Flag.ChoiceWithValue("suplidor", [
    [supplierNames.provider, "provider"],
    [supplierNames.insurer, "insurer"]
  ]).pipe(
    Flag.withDescription("With --pendientes: only what this external service has to settle"),
    orDefault(undefined, "any")
  ),
  page: pageNumber,
  perPage: pageSize(perPage_max),
  asCsv: toggle("csv", "Print all matching sales as CSV for spreadsheets, without pages")
}

type Given = Command.Command.Config.Infer<typeof listFlags>

const searchNames = Object.keys(searchFlags) as ReadonlyArray<keyof typeof searchFlags>

/** The given searches. The command accepts at most one. */
const searchesIn = (given: Given) =>
  searchNames.flatMap((by) => {
    const text = given[by]
    return text === undefined ? [] : [{ by, text }]
  })

const queryOf = (given: Given): SaleQuery => {
  const { companyId, from, serviceId, state, status, terminalId, to, type } = given
  return { companyId, from, to, serviceId, type, terminalId, status: state ?? status, search: searchesIn(given)[0] }
}

const listMatching = Effect.fnUntraced(function* (query: SaleQuery, page: Page) {
  const { items, total, unreadable } = yield* findSales(query, page)
  yield* print(
    {
      items: items.map(transactionDocument),
      ilegibles: unreadable,
      pagination: pagesOf(page, total)
    },
    items.length + unreadable.length === 0
      ? "No such transactions."
      : `${formatTable(items.map(transactionRow))}\n\n${formatPagePosition(page, total)}${formatUnreadable(unreadable)}`
  )
})

const columns = ["empresa_id", ...csvColumns] as const

const printAll = Effect.fnUntraced(function* (query: SaleQuery) {
  const rows = Stream.map(yield* exportSales(query), ({ companyId, transaction }) => ({
    empresa_id: companyId,
    ...csvRowOf(transactionView(transaction), transaction.key)
  }))
  yield* printCsv(csvLines(columns, rows))
})

/** Why the given flags cannot be combined. Null if they can. */
const misuse = (given: Given): string | null => {
  const { asCsv, cell, companyId, from, order, pending, state, status, supplier, to } = given
  if (searchesIn(given).length > 1)
    return "--buscar, --telefono, --xid, --clave and --identificador exclude each other. Give only one."
  if (state !== undefined && status !== undefined) return "--estado and --status are the same. Give only one."
  if (cell !== null && companyId !== undefined) return "--cell and --empresa exclude each other."
  if (from !== undefined && to !== undefined && to < from) return "--hasta is before --desde."
  if (order !== undefined && !pending) return "--orden needs --pendientes. Other lists are sorted newest first."
  if (supplier !== undefined && !pending) return "--suplidor needs --pendientes."
  const { companyId: _, ...query } = queryOf(given)
  const isNarrowed = Object.values(query).some((value) => value !== undefined)
  return pending && (isNarrowed || asCsv)
    ? "--pendientes allows only --cell, --empresa, --suplidor, --orden and pages in addition."
    : null
}

export const list = Command.make(
  "list",
  listFlags,
  Effect.fn(function* (given) {
    const { asCsv, cell, companyId, order, page, pending, perPage, supplier } = given
    const query = queryOf(given)
    return yield* withinCell(cell)(
      pending
        ? listPending({ companyId, supplier }, order ?? "age", { page, perPage })
        : asCsv
          ? printAll(query)
          : listMatching(query, { page, perPage })
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.validate((given) => {
    const message = misuse(given)
    return message === null ? Effect.void : new CliError.ValidationError({ message })
  }),
  Command.withDescription(
    `Find and list the sales of all companies, newest first. --buscar searches by every meaning that the text may have: an id, an xid, a key, an identifier or a phone. A phone may be written in any usual form. Without a search and without --empresa, a list has at most ${listedDays_max} days, and it is counted only if it is short. --csv prints all matching sales: those of a search newest first, others company by company. With --pendientes, unresolved sales and reversals by age or by held amount, with the last answer of the provider or insurer and the open proposal, and the totals by age.`
  ),
  Command.withShortDescription("Find and list the sales of all companies"),
  Command.withExamples([
    { command: "saldo transactions list --buscar 809-555-1234", description: "Sales to a phone, in any form" },
    {
      command: "saldo transactions list --terminal caja-1 --desde 2027-01-01 --hasta 2027-01-31",
      description: "A month's sales of a terminal"
    },
    {
      command: "saldo transactions list --empresa 7 --estado FAILED --csv > failed.csv",
      description: "For a spreadsheet"
    },
    { command: "saldo transactions list --pendientes", description: "Unresolved sales, oldest first" },
    {
      command: "saldo transactions list --pendientes --orden monto",
      description: "Unresolved sales, largest held amount first"
    }
  ])
)
