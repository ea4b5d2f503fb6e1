import { Effect, Option, Schema } from "effect"
import { NotFound } from "../../core/domain/Errors.ts"
import { TransactionId } from "../../core/domain/Ids.ts"
import { Status } from "../../core/domain/Status.ts"
import { Transactions } from "../../core/ports/Transactions.ts"
import { listTransactions } from "../../core/workflows/Lists.ts"
import { cleanText, pathId, soughtKey } from "../wire/Fields.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { Pagination, pageOf, paginationOf, paging, rangeOf } from "../wire/Paging.ts"
import { TransactionView, transactionView } from "../wire/TransactionView.ts"
import { anular } from "./Anular.ts"
import { allowed, answer, router } from "./Procedure.ts"
import { recibo } from "./Recibo.ts"

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
  processed_at: "2026-01-31 14:05:09"
}

const found = (total: number): string => `Transacciones encontradas: ${total}.`

/** Contract: 4.7. */
export const transacciones = router({
  listar: allowed("transactions.read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/transacciones",
        summary: "Las transacciones, de la más reciente a la más antigua",
        tags: ["Transacciones"]
      },
      alias: ["/v1/transactions"],
      example: {
        message: found(1),
        data: { items: [example], pagination: { page: 1, per_page: 50, total: 1, total_pages: 1 } }
      }
    })
    .input(
      input({
        ...paging,
        status: Schema.optionalKey(Status),
        identifier: Schema.optionalKey(cleanText("Coincidencia exacta.")),
        xid: Schema.optionalKey(cleanText("Coincidencia exacta.")),
        idempotency_key: Schema.optionalKey(soughtKey)
      })
    )
    .output(output(Schema.Struct({ items: Schema.Array(TransactionView), pagination: Pagination })))
    .query(
      answer(
        Effect.fnUntraced(function* ({ ctx, input }) {
          const { idempotency_key: key, identifier, status, xid } = input
          const page = pageOf(input)
          const { items, total } = yield* listTransactions(
            ctx.session.company.id,
            { ...rangeOf(input), status, identifier, xid, key },
            page
          )
          ctx.reply.message = found(total)
          return { items: items.map(transactionView), pagination: paginationOf(page, total) }
        })
      )
    ),

  ver: allowed("transactions.read")
    .meta({
      openapi: { method: "GET", path: "/v1/transacciones/{id}", summary: "Una transacción", tags: ["Transacciones"] },
      alias: ["/v1/transactions/{id}"],
      message: "Detalle de la transacción.",
      errors: ["NOT_FOUND"],
      example: { data: example }
    })
    .input(input({ id: pathId(TransactionId, "La transacción.") }))
    .output(output(TransactionView))
    .query(
      answer(
        Effect.fnUntraced(function* ({ ctx, input: { id } }) {
          const transactions = yield* Transactions
          const found = yield* transactions.find(ctx.session.company.id, id)
          return Option.isSome(found) ? transactionView(found.value) : yield* new NotFound()
        })
      )
    ),

  recibo,
  anular
})
