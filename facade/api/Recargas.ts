import { Effect, Schema } from "effect"
import { NotReversible, ReversalDenied, ReversalPending } from "../../core/domain/Errors.ts"
import { TransactionId } from "../../core/domain/Ids.ts"
import { formatOffset } from "../../core/domain/LocalTime.ts"
import { toPesos } from "../../core/domain/Money.ts"
import { type Outcome, saleIn } from "../../core/domain/Sale.ts"
import { messages } from "../../core/domain/Status.ts"
import { purchase } from "../../core/workflows/Purchase.ts"
import { reverse, reversed } from "../../core/workflows/Reverse.ts"
import { delivered } from "../../core/workflows/Sell.ts"
import { amount, idempotencyKey, identifier, optionId, pathId, serviceId, terminalId } from "./Fields.ts"
import { requires } from "./Gate.ts"
import { input } from "./Input.ts"
import { Currency, currency, Pesos, ServiceName } from "./Output.ts"
import { mutation } from "./Procedure.ts"
import { rechargeToken, TransactionView, transactionView } from "./TransactionView.ts"

/** A delivered sale. Contract: 2.5. */
const SaleView = Schema.Struct({
  transaction_id: Schema.Int,
  status: Schema.Literal("SUCCESS"),
  xid: Schema.String,
  auth_code: Schema.String,
  recharge_token: Schema.optionalKey(rechargeToken),
  service: ServiceName,
  identifier: Schema.String,
  amount: Pesos,
  currency: Currency,
  message: Schema.String,
  processed_at: Schema.String.annotate({ format: "date-time", examples: ["2026-01-31T14:05:09-04:00"] })
}).annotate({ identifier: "Venta" })

type Delivered = Extract<Outcome, { readonly _tag: "Delivered" }>

const saleView = ({ delivery, order, processedAt }: Delivered): typeof SaleView.Type => ({
  transaction_id: order.transactionId,
  status: "SUCCESS",
  xid: order.xid,
  auth_code: delivery.authCode,
  ...(delivery.rechargeToken !== null && { recharge_token: delivery.rechargeToken }),
  service: { id: order.service.id, nombre: order.service.name },
  identifier: order.identifier,
  amount: toPesos(order.amount),
  currency,
  message: messages.SUCCESS,
  processed_at: formatOffset(processedAt)
})

/** Makes a sale: a top-up, a package, a bill or a policy. Contract: 4.5. */
export const crearRecarga = mutation({
  gate: requires("recharges.create"),
  input: input({
    service_id: serviceId,
    identifier,
    amount: Schema.optionalKey(amount),
    opcion_id: Schema.optionalKey(optionId),
    terminal_id: Schema.optionalKey(terminalId),
    idempotency_key: idempotencyKey
  }),
  output: SaleView,
  meta: {
    path: "/v1/recargas",
    aliases: ["/v1/recharges"],
    summary: "Realiza una venta",
    description:
      "Lleva una Idempotency-Key propia. Un 202 (TRANSACTION_PENDING) no es un fallo: consulte la ruta de Location y no repita la venta. Ante un corte de red o un 409 IDEMPOTENT_REQUEST_IN_PROGRESS, repita con la misma clave y el mismo cuerpo.",
    tag: "Ventas",
    status: 201,
    message: "Operación exitosa.",
    errors: [
      "TRANSACTION_PENDING",
      "IDEMPOTENT_REQUEST_IN_PROGRESS",
      "IDEMPOTENCY_CONFLICT",
      "INVALID_PRODUCT",
      "INVALID_PHONE",
      "INVALID_AMOUNT",
      "TRANSACTION_REJECTED",
      "DUPLICATE_TRANSACTION",
      "INSUFFICIENT_BALANCE",
      "LIMIT_EXCEEDED",
      "SERVICE_UNAVAILABLE",
      "SEGURO_NO_EMITIDO",
      "COTIZACION_VENCIDA",
      "SEGURO_YA_VENDIDO",
      "SEGURO_SIN_COTIZAR",
      "SEGUROS_NO_DISPONIBLE"
    ],
    forms: {
      VentaPorMonto: {
        description: "La venta de un servicio de monto libre.",
        needs: ["amount"],
        without: ["opcion_id"]
      },
      VentaDeOpcion: {
        description: "La venta de un paquete, una factura o un seguro. Si lleva amount, tiene que ser el precio.",
        needs: ["opcion_id"]
      }
    },
    example: {
      requests: {
        Recarga: { service_id: 1, identifier: "8095551234", amount: 100, terminal_id: "caja-1" },
        Paquete: { service_id: 3, identifier: "8095551234", opcion_id: "paq-2b00bd6ec02a027a4497359d" },
        Factura: { service_id: 5, identifier: "1234567", opcion_id: "fac-2b00bd6ec02a027a4497359d" },
        Seguro: { service_id: 6, identifier: "A123458", opcion_id: "seguro:1" }
      },
      data: {
        transaction_id: 1,
        status: "SUCCESS",
        xid: "RD-3f2a9c1be07d4a55c1d2e3f4",
        auth_code: "SBX3F2A9C1BE07D",
        service: { id: 1, nombre: "Recarga Caribe Móvil" },
        identifier: "8095551234",
        amount: 100,
        currency: "DOP",
        message: "Operación exitosa.",
        processed_at: "2026-01-31T14:05:09-04:00"
      }
    }
  },
  handle: Effect.fnUntraced(function* ({ call, input, session }) {
    const { outcome, replayed } = yield* purchase(session, {
      key: input.idempotency_key,
      serviceId: input.service_id,
      identifier: input.identifier,
      amount: input.amount ?? null,
      optionId: input.opcion_id ?? null,
      terminalId: input.terminal_id ?? null
    })
    call.log.about.xid = saleIn(outcome).xid
    if (replayed) call.reply.headers["idempotent-replay"] = "true"
    return saleView(yield* delivered(outcome))
  })
})

/** The sale that the examples of a reversal use. */
const sale = { transactionId: TransactionId.make(1), xid: "RD-3f2a9c1be07d4a55c1d2e3f4" }

/** Reverses a sale. The path identifies the sale; the body is ignored. Contract: 1 and 4.5. */
export const anular = mutation({
  gate: requires("transactions.reverse"),
  input: input({ id: pathId(TransactionId, "La transacción."), idempotency_key: idempotencyKey }),
  output: TransactionView,
  meta: {
    path: "/v1/transacciones/{id}/anular",
    aliases: ["/v1/transactions/{id}/reverse"],
    summary: "Anula una venta; el monto vuelve al saldo cuando el proveedor lo confirma",
    description:
      "Lleva una Idempotency-Key propia, que no es la de la venta. Hasta que el proveedor confirme la anulación, la venta sigue en SUCCESS y cobrada. Un 202 (TRANSACTION_PENDING) no retiene nada; un 422 TRANSACTION_REJECTED significa que la venta no se anuló. Tras un 202, consulte la ruta de Location: el campo anulacion muestra el resultado. No repita la anulación.",
    tag: "Transacciones",
    message: messages.REVERSED,
    errors: [
      "NOT_FOUND",
      "TRANSACTION_PENDING",
      "IDEMPOTENT_REQUEST_IN_PROGRESS",
      "IDEMPOTENCY_CONFLICT",
      "TRANSACTION_REJECTED",
      "REVERSAL_NOT_SUPPORTED",
      "SERVICE_UNAVAILABLE"
    ],
    causes: [new ReversalPending(sale), new ReversalDenied(sale), new NotReversible()],
    example: {
      data: {
        transaction_id: sale.transactionId,
        xid: sale.xid,
        status: "REVERSED",
        service: { id: 7, nombre: "Crédito Apuestas Antillanas" },
        identifier: "204518",
        amount: 100,
        currency: "DOP",
        auth_code: "SBX3F2A9C1BE07D",
        reference: sale.xid,
        terminal_id: "caja-1",
        message: messages.REVERSED,
        created_at: "2026-01-31 14:05:08",
        processed_at: "2026-01-31 14:05:09",
        anulacion: { status: "REVERSED", solicitada_en: "2026-01-31 14:20:00", resuelta_en: "2026-01-31 14:20:01" }
      }
    }
  },
  handle: Effect.fnUntraced(function* ({ call, input: { id, idempotency_key }, session }) {
    const { outcome, replayed } = yield* reverse(session, id, idempotency_key)
    call.log.about.xid = (outcome._tag === "Reversed" ? outcome.transaction : outcome).xid
    if (replayed) call.reply.headers["idempotent-replay"] = "true"
    return transactionView(yield* reversed(outcome))
  })
})
