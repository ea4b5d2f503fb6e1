import { Effect, Option, Schema } from "effect"
import type { Company } from "../../core/domain/Company.ts"
import { NotFound } from "../../core/domain/Errors.ts"
import { TransactionId } from "../../core/domain/Ids.ts"
import { formatLocal } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"
import type { Receipt } from "../../core/domain/Receipt.ts"
import { messages, type ReversalStatus, Status } from "../../core/domain/Status.ts"
import type { LatestReversal, Transaction } from "../../core/domain/Transaction.ts"
import { ReceiptRenderer } from "../../core/ports/Renderers.ts"
import { Transactions } from "../../core/ports/Transactions.ts"
import { findReceipt, listTransactions } from "../../core/workflows/Queries.ts"
import { FileReply } from "./Call.ts"
import { cleanText, pageOf, paging, pathId, rangeOf, soughtKey } from "./Fields.ts"
import { requires } from "./Gate.ts"
import { input } from "./Input.ts"
import { Currency, currency, LocalTimestamp, Pagination, Pesos, paginationOf, ServiceName } from "./Output.ts"
import { query } from "./Procedure.ts"

export const rechargeToken = Schema.String.annotate({
  description: "Electricidad prepagada: los dígitos que el cliente marca en el medidor."
})

/** The latest reversal of a transaction. Contract: 2.5. */
const ReversalView = Schema.Struct({
  status: Schema.Literals(["PENDING", "REVERSED", "DENIED"]).annotate({
    description:
      "PENDING: sin respuesta firme todavía. REVERSED: confirmada; el monto fue devuelto. DENIED: la venta sigue en pie y puede anularse de nuevo con otra clave."
  }),
  solicitada_en: LocalTimestamp,
  resuelta_en: Schema.NullOr(LocalTimestamp)
}).annotate({ identifier: "Anulacion", description: "La última anulación pedida; null si no se pidió ninguna." })

/** The wire status of a reversal. A reversal that waits for its provider is pending, whatever it waits for. */
const reversalStatuses: Record<ReversalStatus, typeof ReversalView.Type.status> = {
  PROCESSING: "PENDING",
  PENDING: "PENDING",
  CONFIRMED: "REVERSED",
  DENIED: "DENIED"
}

const reversalView = ({ requestedAt, resolvedAt, status }: LatestReversal): typeof ReversalView.Type => ({
  status: reversalStatuses[status],
  solicitada_en: formatLocal(requestedAt),
  resuelta_en: resolvedAt === null ? null : formatLocal(resolvedAt)
})

/** The current state of a transaction. Contract: 2.5. */
export const TransactionView = Schema.Struct({
  transaction_id: Schema.Int,
  xid: Schema.String,
  status: Status,
  service: ServiceName,
  identifier: Schema.String,
  amount: Pesos,
  currency: Currency,
  auth_code: Schema.NullOr(Schema.String),
  recharge_token: Schema.optionalKey(rechargeToken),
  reference: Schema.String,
  terminal_id: Schema.NullOr(Schema.String),
  message: Schema.String,
  created_at: LocalTimestamp,
  processed_at: Schema.NullOr(LocalTimestamp),
  anulacion: Schema.NullOr(ReversalView)
}).annotate({ identifier: "Transaccion" })

export const transactionView = (sale: Transaction): typeof TransactionView.Type => ({
  transaction_id: sale.id,
  xid: sale.xid,
  status: sale.status,
  service: { id: sale.service.id, nombre: sale.service.name },
  identifier: sale.identifier,
  amount: toPesos(sale.amount),
  currency,
  auth_code: sale.authCode,
  ...(sale.rechargeToken !== null && { recharge_token: sale.rechargeToken }),
  reference: sale.xid,
  terminal_id: sale.terminalId,
  message: messages[sale.status],
  created_at: formatLocal(sale.createdAt),
  processed_at: sale.processedAt === null ? null : formatLocal(sale.processedAt),
  anulacion: sale.reversal === null ? null : reversalView(sale.reversal)
})

/** Contract: 2.5. */
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

const example = {
  transaction_id: 1,
  xid: "RD-3f2a9c1be07d4a55c1d2e3f4",
  status: "SUCCESS",
  service: { id: 1, nombre: "Recarga Caribe Móvil" },
  identifier: "8095551234",
  amount: 100,
  currency: "DOP",
  auth_code: "SBX3F2A9C1BE07D",
  reference: "RD-3f2a9c1be07d4a55c1d2e3f4",
  terminal_id: "caja-1",
  message: "Operación exitosa.",
  created_at: "2026-01-31 14:05:08",
  processed_at: "2026-01-31 14:05:09",
  anulacion: null
}

const foundMessage = (total: number): string => `Transacciones encontradas: ${total}.`

/** The transactions of the caller's company, newest first. Contract: 4.7. */
export const listarTransacciones = query({
  gate: requires("transactions.read"),
  input: input({
    ...paging,
    status: Schema.optionalKey(Status),
    identifier: Schema.optionalKey(cleanText("Coincidencia exacta.")),
    xid: Schema.optionalKey(cleanText("Coincidencia exacta.")),
    idempotency_key: Schema.optionalKey(soughtKey)
  }),
  output: Schema.Struct({ items: Schema.Array(TransactionView), pagination: Pagination }).annotate({
    identifier: "Transacciones"
  }),
  meta: {
    path: "/v1/transacciones",
    aliases: ["/v1/transactions"],
    summary: "Las transacciones, de la más reciente a la más antigua",
    tag: "Transacciones",
    example: {
      message: foundMessage(1),
      data: { items: [example], pagination: { page: 1, per_page: 50, total: 1, total_pages: 1 } }
    }
  },
  handle: Effect.fnUntraced(function* ({ call, input, session }) {
    const { idempotency_key: key, identifier, status, xid } = input
    const page = pageOf(input)
    const { items, total } = yield* listTransactions(
      session.company.id,
      { ...rangeOf(input), status, identifier, xid, key },
      page
    )
    call.reply.message = foundMessage(total)
    return { items: items.map(transactionView), pagination: paginationOf(page, total) }
  })
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
    example: { data: example }
  },
  handle: Effect.fnUntraced(function* ({ input: { id }, session }) {
    const transactions = yield* Transactions
    const found = yield* transactions.find(session.company.id, id)
    return Option.isSome(found) ? transactionView(found.value) : yield* new NotFound()
  })
})

const receiptPdf = Effect.fnUntraced(function* (company: Company, id: TransactionId) {
  const renderer = yield* ReceiptRenderer
  const body = yield* renderer.pdf(yield* findReceipt(company, id))
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
    errors: ["NOT_FOUND"],
    file: "application/pdf",
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
