import { Effect, Option, type Result, Schema, Stream } from "effect"
import type { Company } from "../../core/domain/Company.ts"
import { NotFound } from "../../core/domain/Errors.ts"
import { TransactionId } from "../../core/domain/Ids.ts"
import { formatLocal } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"
import type { Receipt } from "../../core/domain/Receipt.ts"
import { Status } from "../../core/domain/Status.ts"
import type { TransactionFilter } from "../../core/domain/Transaction.ts"
import { ReceiptRenderer } from "../../core/ports/Renderers.ts"
import { Transactions } from "../../core/ports/Transactions.ts"
import { allTransactions, findReceipt, listTransactions } from "../../core/workflows/Queries.ts"
import { FileReply } from "./Call.ts"
import { csvFile, csvText } from "./Csv.ts"
import {
  cleanText,
  keyExample,
  listFilterOf,
  pageOf,
  paging,
  pathId,
  soughtKey,
  soughtService,
  soughtTerminal
} from "./Fields.ts"
import { requires } from "./Gate.ts"
import { input } from "./Input.ts"
import { Currency, currency, LocalTimestamp, Pagination, Pesos, paginationOf } from "./Output.ts"
import { query } from "./Procedure.ts"
import {
  csvColumns,
  csvRowOf,
  rechargeToken,
  TransactionView,
  transactionExample,
  transactionView
} from "./TransactionView.ts"

/** A receipt in the API. Contract: 2.5. */
const ReceiptView = Schema.Struct({
  transaction_id: Schema.Int,
  xid: Schema.String,
  status: Schema.Literals(["SUCCESS", "REVERSED"]),
  auth_code: Schema.String,
  recharge_token: Schema.optionalKey(rechargeToken),
  emisor: Schema.String,
  comercio: Schema.String,
  servicio: Schema.String,
  identifier: Schema.String,
  amount: Pesos,
  currency: Currency,
  processed_at: LocalTimestamp,
  mensaje: Schema.String
}).annotate({ identifier: "Comprobante" })

const receiptView = (receipt: Receipt): typeof ReceiptView.Type => ({
  transaction_id: receipt.transactionId,
  xid: receipt.xid,
  status: receipt.status,
  auth_code: receipt.authCode,
  ...(receipt.rechargeToken !== null && { recharge_token: receipt.rechargeToken }),
  emisor: receipt.issuer,
  comercio: receipt.merchant,
  servicio: receipt.service,
  identifier: receipt.identifier,
  amount: toPesos(receipt.amount),
  currency,
  processed_at: formatLocal(receipt.processedAt),
  mensaje: receipt.message
})

const foundMessage = (total: number): string => `Transacciones encontradas: ${total}.`

const listInput = input({
  ...paging,
  status: Schema.optionalKey(Status),
  identifier: Schema.optionalKey(cleanText("Coincidencia exacta.")),
  xid: Schema.optionalKey(cleanText("Coincidencia exacta.")),
  idempotency_key: Schema.optionalKey(soughtKey),
  service_id: Schema.optionalKey(soughtService),
  terminal_id: Schema.optionalKey(soughtTerminal),
  formato: Schema.optionalKey(
    Schema.Literals(["json", "csv"]).annotate({ description: "csv: todas las transacciones halladas, sin páginas." })
  )
})

const filterOf = (input: Result.Result.Success<ReturnType<typeof listInput.read>>): TransactionFilter => {
  const { idempotency_key: key, identifier, service_id: serviceId, status, terminal_id: terminalId, xid } = input
  return { ...listFilterOf(input), status, identifier, xid, key, serviceId, terminalId }
}

/** The transactions of the caller's company, newest first, page by page or as CSV. Contract: 4.7. */
export const listarTransacciones = query({
  gate: requires("transactions.read"),
  input: listInput,
  output: Schema.Struct({ items: Schema.Array(TransactionView), pagination: Pagination }).annotate({
    identifier: "Transacciones"
  }),
  meta: {
    path: "/v1/transacciones",
    aliases: ["/v1/transactions"],
    summary: "Las transacciones, de la más reciente a la más antigua",
    tag: "Transacciones",
    files: ["text/csv"],
    fileExample: csvText(csvColumns, [csvRowOf(transactionExample, keyExample)]),
    example: {
      message: foundMessage(1),
      data: {
        items: [transactionExample],
        pagination: { page: 1, per_page: 50, total: 1, total_pages: 1, hasta_id: 1 }
      }
    }
  },
  handle: Effect.fnUntraced(function* ({ call, input, session }) {
    const page = pageOf(input)
    const slice = yield* listTransactions(session.company.id, filterOf(input), page)
    call.reply.message = foundMessage(slice.total)
    return { items: slice.items.map(transactionView), pagination: paginationOf(page, slice) }
  }),
  file: ({ input, session }) =>
    input.formato === "csv"
      ? Effect.flatMap(allTransactions(session.company.id, filterOf(input)), (sales) =>
          csvFile(
            "transacciones",
            csvColumns,
            Stream.map(sales, (sale) => csvRowOf(transactionView(sale), sale.key))
          )
        )
      : undefined
})

/** One transaction. Contract: 4.7. */
export const verTransaccion = query({
  gate: requires("transactions.read"),
  input: input({ id: pathId(TransactionId, "La transacción.") }),
  output: TransactionView,
  meta: {
    path: "/v1/transacciones/{id}",
    aliases: ["/v1/transactions/{id}"],
    summary: "Una transacción",
    tag: "Transacciones",
    message: "Detalle de la transacción.",
    errors: ["NOT_FOUND"],
    example: { data: transactionExample }
  },
  handle: Effect.fnUntraced(function* ({ input: { id }, session }) {
    const transactions = yield* Transactions
    const found = yield* transactions.find(session.company.id, id)
    return Option.isSome(found) ? transactionView(found.value) : yield* new NotFound()
  })
})

const receiptPdf = Effect.fnUntraced(function* (company: Company, id: TransactionId) {
  const renderer = yield* ReceiptRenderer
  const body = renderer.pdf(yield* findReceipt(company, id))
  return new FileReply({ type: "application/pdf", name: `recibo-${id}.pdf`, shown: true, body })
})

/** The receipt for the end customer, as JSON or as a PDF to print. Contract: 2.5 and 4.7. */
export const recibo = query({
  gate: requires("transactions.read"),
  input: input({
    id: pathId(TransactionId, "La transacción."),
    formato: Schema.optionalKey(
      Schema.Literals(["json", "pdf"]).annotate({ description: "pdf: para imprimir, en rollo de 80 mm o en A4." })
    )
  }),
  output: ReceiptView,
  meta: {
    path: "/v1/transacciones/{id}/recibo",
    aliases: ["/v1/transactions/{id}/receipt"],
    summary: "El comprobante de una venta entregada",
    tag: "Transacciones",
    message: "Comprobante de la venta.",
    errors: ["NOT_FOUND", "DOCUMENTO_NO_DISPONIBLE"],
    files: ["application/pdf"],
    example: {
      data: {
        transaction_id: 1,
        xid: "RD-3f2a9c1be07d4a55c1d2e3f4",
        status: "SUCCESS",
        auth_code: "SBX3F2A9C1BE07D",
        emisor: "Saldo",
        comercio: "Colmado Doña Ana SRL",
        servicio: "Recarga Caribe Móvil",
        identifier: "8095551234",
        amount: 100,
        currency: "DOP",
        processed_at: "2026-01-31 14:05:09",
        mensaje: "Operación exitosa."
      }
    }
  },
  handle: ({ input: { id }, session }) => Effect.map(findReceipt(session.company, id), receiptView),
  file: ({ input: { formato, id }, session }) => (formato === "pdf" ? receiptPdf(session.company, id) : undefined)
})
