import { Effect } from "effect"
import { NotReversible, ReversalDenied, ReversalPending } from "../../core/domain/Errors.ts"
import { TransactionId } from "../../core/domain/Ids.ts"
import { messages } from "../../core/domain/Status.ts"
import { reverse, reversed } from "../../core/workflows/Reverse.ts"
import { idempotencyKey, pathId } from "../wire/Fields.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { TransactionView, transactionView } from "../wire/TransactionView.ts"
import { allowed, answer } from "./Procedure.ts"

/** The sale of the examples. */
const sale = { transactionId: TransactionId.make(1), xid: "RD-3f2a9c1be07d4a55c1d2e3f4" }

/** Gives a sale back. A body says nothing: the path names the sale. Contract: 1 and 4.5. */
export const anular = allowed("transactions.reverse")
  .meta({
    openapi: {
      method: "POST",
      path: "/v1/transacciones/{id}/anular",
      summary: "Anula una venta; el monto vuelve al saldo cuando el proveedor lo confirma",
      description:
        "Lleva una Idempotency-Key propia, que no es la de la venta. Mientras la anulación no se confirma, la venta sigue en SUCCESS y cobrada: un 202 (TRANSACTION_PENDING) no retiene nada, y un 422 TRANSACTION_REJECTED la deja en pie. Tras un 202 consulte la ruta de Location y no repita la anulación.",
      tags: ["Transacciones"]
    },
    alias: ["/v1/transactions/{id}/reverse"],
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
        processed_at: "2026-01-31 14:05:09"
      }
    }
  })
  .input(input({ id: pathId(TransactionId, "La transacción."), idempotency_key: idempotencyKey }))
  .output(output(TransactionView))
  .mutation(
    answer(
      Effect.fnUntraced(function* ({ ctx, input: { id, idempotency_key } }) {
        const { outcome, replayed } = yield* reverse(ctx.session, id, idempotency_key)
        ctx.access.about.xid = (outcome._tag === "Reversed" ? outcome.transaction : outcome).xid
        if (replayed) ctx.reply.headers["idempotent-replay"] = "true"
        return transactionView(yield* reversed(outcome))
      })
    )
  )
