import { Effect, Stream } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { isLow } from "../../../core/domain/Account.ts"
import { type Company, CompanyState } from "../../../core/domain/Company.ts"
import { toPesos } from "../../../core/domain/Money.ts"
import { Statement } from "../../../core/ports/Statement.ts"
import { type ListedCompany, listCompanies } from "../../../core/workflows/ListCompanies.ts"
import { companyOf } from "../../../core/workflows/ManageCompany.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { csvLines } from "../../api/Csv.ts"
import { entryView, statementColumns } from "../../api/Movimientos.ts"
import { pagesOf } from "../../api/Output.ts"
import { orDefault, toggle } from "../terminal/Flags.ts"
import { type Document, formatTable, print, printCsv } from "../terminal/Output.ts"
import { companyId, dayFlag, pageNumber, pageSize, soughtFlag } from "../terminal/Parameters.ts"
import { formatPagePosition } from "./TransactionDocuments.ts"

/** A company as JSON. */
export const companyDocument = (company: Company, eventsOn: boolean): Document => ({
  empresa_id: company.id,
  razon_social: company.legalName,
  ...(company.rnc !== undefined && { rnc: company.rnc }),
  codigo_empresa: company.code,
  ambiente: company.environment,
  estado: company.state,
  api: company.apiEnabled,
  seguros: company.insuranceEnabled,
  eventos: eventsOn,
  celda: company.cell
})

const listedDocument = ({ account, company, eventsOn }: ListedCompany): Document => ({
  ...companyDocument(company, eventsOn),
  saldo_disponible: toPesos(account.balance.available),
  saldo_retenido: toPesos(account.balance.held),
  consumo_hoy: toPesos(account.consumption.daily),
  saldo_bajo: isLow(account.balance, account.lowBalanceAlert)
})

export const list = Command.make(
  "list",
  {
    text: soughtFlag("buscar", "Part of the name or code, the beginning of the RNC, or the id"),
    state: Flag.Literals("estado", CompanyState.literals).pipe(
      Flag.withDescription("Only companies in this state"),
      orDefault(undefined, "any")
    )
  },
  Effect.fn(function* ({ state, text }) {
    const items = (yield* listCompanies({ state, text })).items.map(listedDocument)
    // Every row gets an rnc, because a table takes its columns from the first row.
    const rows = items.map(({ empresa_id, razon_social, rnc = null, ...more }) => ({
      empresa_id,
      razon_social,
      rnc,
      ...more
    }))
    const none = text === undefined && state === undefined ? "No companies yet." : "No such companies."
    yield* print({ items }, items.length === 0 ? none : formatTable(rows))
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "List the companies by id, with their available and held money and today's consumption. A search ignores case and accents."
  ),
  Command.withShortDescription("List the companies with their balances"),
  Command.withExamples([
    { command: "saldo company list --json", description: "As JSON for a script" },
    { command: "saldo company list --buscar colmado", description: "Companies with this name or code" }
  ])
)

const optionalDay = orDefault(undefined, "any")

export const statement = Command.make(
  "statement",
  {
    companyId,
    from: dayFlag("desde", "First day of the statement").pipe(optionalDay),
    to: dayFlag("hasta", "Last day of the statement").pipe(optionalDay),
    asCsv: toggle("csv", "Print the whole statement as CSV for spreadsheets, without pages"),
    page: pageNumber,
    perPage: pageSize(200)
  },
  Effect.fn(function* ({ asCsv, companyId, from, page, perPage, to }) {
    yield* companyOf(companyId)
    const filter = { from, to }
    const entries = yield* Statement
    if (asCsv) return yield* printCsv(csvLines(statementColumns, Stream.map(entries.all(companyId, filter), entryView)))
    const { items, total } = yield* entries.page(companyId, filter, { page, perPage })
    const rows = items.map(entryView)
    const position = formatPagePosition({ page, perPage }, total)
    return yield* print(
      { items: rows, pagination: pagesOf({ page, perPage }, total) },
      rows.length === 0 ? "No entries." : `${formatTable(rows)}\n\n${position}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.validate(({ from, to }) =>
    from !== undefined && to !== undefined && to < from
      ? new CliError.ValidationError({ message: "--hasta is before --desde." })
      : Effect.void
  ),
  Command.withDescription(
    "Print the ledger of a company, newest first: deposits, sales, reversals and adjustments, each with the balance after it. The same as GET /v1/movimientos."
  ),
  Command.withShortDescription("Print a company's statement with its running balance"),
  Command.withExamples([
    {
      command: "saldo company statement 7 --desde 2027-01-01 --hasta 2027-01-31 --csv > january.csv",
      description: "A month for a spreadsheet"
    }
  ])
)
