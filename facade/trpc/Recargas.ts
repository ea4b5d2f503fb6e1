import { Effect, Schema } from "effect"
import { saleIn } from "../../core/domain/Sale.ts"
import { purchase } from "../../core/workflows/Purchase.ts"
import { delivered } from "../../core/workflows/Sell.ts"
import { amount, idempotencyKey, identifier, optionId, serviceId, terminalId } from "../wire/Fields.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { SaleView, saleView } from "../wire/TransactionView.ts"
import { allowed, answer, router } from "./Procedure.ts"

/** Contract: 4.5. */
export const recargas = router({
  crear: allowed("recharges.create")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/recargas",
        summary: "Realiza una venta",
        description:
          "Lleva una Idempotency-Key propia. Un 202 (TRANSACTION_PENDING) no es un fallo: consulte la ruta de Location y no repita la venta. Ante un corte de red o un 409 IDEMPOTENT_REQUEST_IN_PROGRESS, repita con la misma clave y el mismo cuerpo.",
        tags: ["Ventas"]
      },
      alias: ["/v1/recharges"],
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
      example: {
        request: { service_id: 1, identifier: "8095551234", amount: 100, terminal_id: "caja-1" },
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
    })
    .input(
      input({
        service_id: serviceId,
        identifier,
        amount: Schema.optionalKey(amount),
        opcion_id: Schema.optionalKey(optionId),
        terminal_id: Schema.optionalKey(terminalId),
        idempotency_key: idempotencyKey
      })
    )
    .output(output(SaleView))
    .mutation(
      answer(
        Effect.fnUntraced(function* ({ ctx, input: wanted }) {
          const { outcome, replayed } = yield* purchase(ctx.session, {
            key: wanted.idempotency_key,
            serviceId: wanted.service_id,
            identifier: wanted.identifier,
            amount: wanted.amount ?? null,
            optionId: wanted.opcion_id ?? null,
            terminalId: wanted.terminal_id ?? null
          })
          ctx.access.about.xid = saleIn(outcome).xid
          if (replayed) ctx.reply.headers["idempotent-replay"] = "true"
          return saleView(yield* delivered(outcome))
        })
      )
    )
})
