import { Effect, Option, Schema } from "effect"
import { NotFound } from "../../core/domain/Errors.ts"
import { TransactionId } from "../../core/domain/Ids.ts"
import { Status } from "../../core/domain/Status.ts"
import { Transactions } from "../../core/ports/Transactions.ts"
import { cleanText, day, pathId, wholeBetween } from "../wire/Fields.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { TransactionView, transactionView } from "../wire/TransactionView.ts"
import { Pagination, paginationOf } from "../wire/Views.ts"
import { allowed, answer, router } from "./Procedure.ts"

const perPage_default = 50
const perPage_max = 200
/** Beyond it there is nothing, and the offset is still a number that Postgres reads. */
const page_max = 1_000_000_000

const example = {
  transaction_id: 1,
  xid: "RD-3f2a9c1be07d4a55c1d2e3f4",
  status: "SUCCESS",
  service: { id: 1, nombre: "Recarga Claro" },
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

/** Contract: 4.7. */
export const transacciones = router({
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
      answer(({ ctx, input: { id } }) =>
        Effect.gen(function* () {
          const transactions = yield* Transactions
          const found = yield* transactions.find(ctx.session.company.id, id)
          return Option.isSome(found) ? transactionView(found.value) : yield* new NotFound()
        })
      )
    ),

  listar: allowed("transactions.read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/transacciones",
        summary: "Las transacciones, de la más nueva a la más vieja",
        tags: ["Transacciones"]
      },
      alias: ["/v1/transactions"],
      example: {
        data: { items: [example], pagination: { page: 1, per_page: perPage_default, total: 1, total_pages: 1 } }
      }
    })
    .input(
      input({
        page: Schema.optionalKey(wholeBetween(1, page_max, "Número de página.", 1)),
        per_page: Schema.optionalKey(wholeBetween(1, perPage_max, "Transacciones por página.", perPage_default)),
        status: Schema.optionalKey(Status),
        date_from: Schema.optionalKey(day("Desde este día, inclusive.")),
        date_to: Schema.optionalKey(day("Hasta este día, inclusive.")),
        identifier: Schema.optionalKey(cleanText("Coincidencia exacta."))
      })
    )
    .output(output(Schema.Struct({ items: Schema.Array(TransactionView), pagination: Pagination })))
    .query(
      answer(({ ctx, input: { date_from, date_to, identifier, page = 1, per_page = perPage_default, status } }) =>
        Effect.gen(function* () {
          const transactions = yield* Transactions
          const { items, total } = yield* transactions.list(
            ctx.session.company.id,
            { status, from: date_from, to: date_to, identifier },
            { page, perPage: per_page }
          )
          ctx.reply.message = `Transacciones encontradas: ${total}.`
          return { items: items.map(transactionView), pagination: paginationOf(page, per_page, total) }
        })
      )
    )
})
