import { Effect, Schema } from "effect"
import type { Company } from "../../core/domain/Company.ts"
import { TransactionId } from "../../core/domain/Ids.ts"
import { ReceiptRenderer } from "../../core/ports/ReceiptRenderer.ts"
import { receipt } from "../../core/workflows/Receipt.ts"
import { FileReply } from "../call/Call.ts"
import { pathId } from "../wire/Fields.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { ReceiptView, receiptView } from "../wire/ReceiptView.ts"
import { allowed, answer } from "./Procedure.ts"

const printed = Effect.fnUntraced(function* (company: Company, id: TransactionId) {
  const renderer = yield* ReceiptRenderer
  const body = yield* renderer.pdf(yield* receipt(company, id))
  return new FileReply({ type: "application/pdf", name: `recibo-${id}.pdf`, shown: true, body })
})

/** What the end customer takes home, to print or to show. Contract: 2.5 and 4.7. */
export const recibo = allowed("transactions.read")
  .meta({
    openapi: {
      method: "GET",
      path: "/v1/transacciones/{id}/recibo",
      summary: "El comprobante de una venta entregada",
      tags: ["Transacciones"]
    },
    alias: ["/v1/transactions/{id}/receipt"],
    message: "Comprobante de la venta.",
    errors: ["NOT_FOUND"],
    file: "application/pdf",
    example: {
      data: {
        transaction_id: 1,
        xid: "RD-3f2a9c1be07d4a55c1d2e3f4",
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
  })
  .input(
    input({
      id: pathId(TransactionId, "La transacción."),
      formato: Schema.optionalKey(
        Schema.Literals(["json", "pdf"]).annotate({ description: "pdf: para imprimir, en rollo de 80 mm o en A4." })
      )
    })
  )
  .output(output(ReceiptView))
  .query(
    answer(
      ({ ctx, input: { id } }) => Effect.map(receipt(ctx.session.company, id), receiptView),
      ({ ctx, input: { formato, id } }) => (formato === "pdf" ? printed(ctx.session.company, id) : undefined)
    )
  )
