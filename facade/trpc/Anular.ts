import { Effect } from "effect"
import { TransactionId } from "../../core/domain/Ids.ts"
import { messages } from "../../core/domain/Status.ts"
import { reverse, reversed } from "../../core/workflows/Reverse.ts"
import { idempotencyKey, pathId } from "../wire/Fields.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { TransactionView, transactionView } from "../wire/TransactionView.ts"
import { allowed, answer } from "./Procedure.ts"

/** Gives a sale back. A body says nothing: the path names the sale. Contract: 1 and 4.5. */
export const anular = allowed("transactions.reverse")
  .meta({
    openapi: {
      method: "POST",
      path: "/v1/transacciones/{id}/anular",
      summary: "Anula una venta; el monto vuelve al saldo cuando el proveedor lo confirma",
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
    example: {
      data: {
        transaction_id: 1,
        xid: "RD-3f2a9c1be07d4a55c1d2e3f4",
        status: "REVERSED",
        service: { id: 7, nombre: "Crédito Apuestas Antillanas" },
        identifier: "204518",
        amount: 100,
        currency: "DOP",
        auth_code: "SBX3F2A9C1BE07D",
        reference: "RD-3f2a9c1be07d4a55c1d2e3f4",
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
