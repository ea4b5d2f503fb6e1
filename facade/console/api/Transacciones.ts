import { Effect, Result, Schema, Stream } from "effect"
import { Invalid } from "../../../core/domain/Errors.ts"
import { Finding } from "../../../core/domain/Resolution.ts"
import { readRechargeToken } from "../../../core/domain/Sale.ts"
import { ServiceType } from "../../../core/domain/Service.ts"
import type { Sha256 } from "../../../core/domain/Sha256.ts"
import { Status } from "../../../core/domain/Status.ts"
import type { Transactions } from "../../../core/ports/Transactions.ts"
import { askProvider } from "../../../core/workflows/AskProvider.ts"
import { exportSales, findSales, type SaleQuery } from "../../../core/workflows/FindSales.ts"
import { withinCell } from "../../../core/workflows/ManageCells.ts"
import { companyOf } from "../../../core/workflows/ManageCompany.ts"
import { confirmResolution, proposeResolution } from "../../../core/workflows/Resolve.ts"
import { showSale } from "../../../core/workflows/ShowSale.ts"
import { csvFile } from "../../api/Csv.ts"
import { cleanText, day, integerBetween, pageOf, paging, soughtTerminal } from "../../api/Fields.ts"
import { input } from "../../api/Input.ts"
import { pagesOf } from "../../api/Output.ts"
import { csvColumns, csvRowOf, transactionView } from "../../api/TransactionView.ts"
import { celda, empresaId, label, servicioId, text, transaccionId } from "./Fields.ts"
import { change, csvExport, read } from "./Procedure.ts"
import { actionViews, timelineView } from "./SaleTimeline.ts"
import { findings, proposalView, saleView } from "./SaleView.ts"

const { hasta_id: _, page, per_page, ...days } = paging

const searchFields = {
  buscar: Schema.optionalKey(cleanText("Número, xid, clave, identificador o teléfono de la venta.")),
  celda,
  empresa_id: Schema.optionalKey(empresaId),
  estado: Schema.optionalKey(Status),
  servicio_id: Schema.optionalKey(servicioId),
  tipo: Schema.optionalKey(ServiceType),
  terminal: Schema.optionalKey(soughtTerminal),
  ...days
}

const searchInput = input(searchFields)

const queryOf = (sent: Result.Result.Success<ReturnType<typeof searchInput.read>>): SaleQuery => {
  const { buscar, date_from: from, date_to: to, empresa_id, estado, servicio_id, terminal, tipo } = sent
  return {
    search: buscar === undefined ? undefined : { by: "text", text: buscar },
    companyId: empresa_id,
    status: estado,
    serviceId: servicio_id,
    type: tipo,
    terminalId: terminal,
    from,
    to
  }
}

const findingNames = Object.values(findings)

const evidence = {
  /** The provider's authorization code, or the number of the policy. */
  autorizacion: Schema.optionalKey(label(100)),
  /** Electricity: the digits that the customer types into the meter. */
  token: Schema.optionalKey(Schema.String),
  desde: Schema.optionalKey(day("Policy: first day.")),
  hasta: Schema.optionalKey(day("Policy: last day."))
}

const proposeInput = input({
  transaction_id: transaccionId,
  resultado: Schema.Literals(findingNames),
  motivo: text(500),
  ...evidence
})

type Proposed = Result.Result.Success<ReturnType<typeof proposeInput.read>>

const refuse = (field: keyof typeof evidence, reason: string) =>
  Result.fail(new Invalid({ details: { [field]: reason } }))

const successOf = ({ autorizacion, desde, hasta, token }: Proposed): Result.Result<Finding, Invalid> => {
  if (autorizacion === undefined) return refuse("autorizacion", "requerido")
  const digits = token === undefined ? null : readRechargeToken(token)
  if (token !== undefined && digits === null) return refuse("token", "invalido")
  if (desde === undefined && hasta !== undefined) return refuse("desde", "requerido")
  if (desde !== undefined && hasta === undefined) return refuse("hasta", "requerido")
  const validity = desde === undefined || hasta === undefined ? null : { from: desde, until: hasta }
  return Result.succeed(Finding.cases.Success.make({ authCode: autorizacion, rechargeToken: digits, validity }))
}

/** The finding that an operator proposes. Only a success has further fields. */
const findingOf = (proposed: Proposed): Result.Result<Finding, Invalid> => {
  if (proposed.resultado === findings.Success) return successOf(proposed)
  for (const field of ["autorizacion", "token", "desde", "hasta"] as const)
    if (proposed[field] !== undefined) return refuse(field, "invalido")
  if (proposed.resultado === findings.Failed) return Result.succeed(Finding.cases.Failed.make({}))
  if (proposed.resultado === findings.Reversed) return Result.succeed(Finding.cases.Reversed.make({}))
  return Result.succeed(Finding.cases.Stands.make({}))
}

export const transacciones = {
  /** Sales of all companies, newest first. The totals are null for a long list, which is not counted. */
  listar: read({
    gate: "read",
    input: input({ ...searchFields, page, per_page }),
    handle: Effect.fnUntraced(function* ({ input }) {
      const wanted = pageOf(input)
      const { items, total, unreadable } = yield* withinCell(input.celda ?? null)(findSales(queryOf(input), wanted))
      return { items: items.map(saleView), ilegibles: unreadable, pagination: pagesOf(wanted, total) }
    })
  }),
  /** The whole history of a sale, and the actions that the operator can take now. */
  ver: read({
    gate: "read",
    input: input({ transaction_id: transaccionId }),
    handle: Effect.fnUntraced(function* ({ input: { transaction_id } }) {
      const { actions, history, proposal, timeline } = yield* showSale(transaction_id)
      const { legalName } = yield* companyOf(history.companyId)
      return {
        ...saleView(history),
        razon_social: legalName,
        idempotency_key: history.key,
        propuesta: proposal === null ? null : proposalView(proposal),
        historia: timelineView(timeline),
        acciones: actionViews(actions)
      }
    })
  }),
  /** Asks the provider now. A firm answer settles the sale. */
  preguntar: change({
    gate: "propose",
    input: input({ transaction_id: transaccionId }),
    handle: ({ input: { transaction_id } }) =>
      Effect.map(askProvider(transaction_id), ({ about, contradiction, reversal, said, status, won }) => ({
        sobre: about === "Reversal" ? ("anulacion" as const) : ("venta" as const),
        respuesta: said,
        status,
        anulacion: reversal,
        resuelta: won,
        contradiccion: contradiction
      }))
  }),
  proponer: change({
    gate: "propose",
    input: proposeInput,
    handle: Effect.fnUntraced(function* ({ input }) {
      const finding = yield* Effect.fromResult(findingOf(input))
      const { number } = yield* proposeResolution(input.transaction_id, { finding, reason: input.motivo })
      return { propuesta: number }
    })
  }),
  confirmar: change({
    gate: "confirm",
    input: input({
      transaction_id: transaccionId,
      propuesta: integerBetween(1, Number.MAX_SAFE_INTEGER, "El número de la propuesta."),
      /** Whether to settle without asking the provider, because the provider no longer exists. */
      sin_preguntar: Schema.optionalKey(Schema.Boolean)
    }),
    handle: ({ input: { propuesta, sin_preguntar = false, transaction_id } }) =>
      Effect.map(
        confirmResolution(transaction_id, { number: propuesta, evenUnasked: sin_preguntar }),
        ({ finding, reversal, status }) => ({ resultado: findings[finding._tag], status, anulacion: reversal })
      )
  })
}

const columns = ["empresa_id", ...csvColumns] as const

/** All sales that match a search. */
export const transaccionesCsv = csvExport({
  gate: "read",
  input: searchInput,
  file: (sent) =>
    Effect.gen(function* () {
      const context = yield* Effect.context<Sha256 | Transactions>()
      const rows = Stream.map(yield* exportSales(queryOf(sent)), ({ companyId, transaction }) => ({
        empresa_id: companyId,
        ...csvRowOf(transactionView(transaction), transaction.key)
      }))
      return yield* csvFile("transacciones", columns, Stream.provideContext(rows, context))
    }).pipe(withinCell(sent.celda ?? null))
})
