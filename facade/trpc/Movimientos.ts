import { Effect, Schema, Stream } from "effect"
import type { CompanyId } from "../../core/domain/Ids.ts"
import type { DayRange } from "../../core/domain/LocalTime.ts"
import { Statement } from "../../core/ports/Statement.ts"
import { FileReply } from "../call/Call.ts"
import { csvOf } from "../wire/Csv.ts"
import { EntryView, entryColumns, entryView } from "../wire/EntryView.ts"
import { input } from "../wire/Input.ts"
import { output } from "../wire/Output.ts"
import { Pagination, pageOf, paginationOf, paging, rangeOf } from "../wire/Paging.ts"
import { allowed, answer, router } from "./Procedure.ts"

const sheet = Effect.fnUntraced(function* (companyId: CompanyId, range: DayRange) {
  const statement = yield* Statement
  const body = yield* csvOf(entryColumns, Stream.map(statement.all(companyId, range), entryView))
  return new FileReply({ type: "text/csv; charset=utf-8", name: "movimientos.csv", shown: false, body })
})

const found = (total: number): string => `Movimientos encontrados: ${total}.`

/** Contract: 4.2. */
export const movimientos = router({
  listar: allowed("balance.read")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/movimientos",
        summary: "Los movimientos del saldo, del más reciente al más antiguo",
        tags: ["Cuenta"]
      },
      alias: ["/v1/statement"],
      file: "text/csv",
      example: {
        message: found(2),
        data: {
          items: [
            {
              movimiento_id: 2,
              tipo: "sale",
              monto: -100,
              saldo: 99_900,
              transaction_id: 1,
              referencia: null,
              fecha: "2026-01-31 14:05:09"
            },
            {
              movimiento_id: 1,
              tipo: "deposit",
              monto: 100_000,
              saldo: 100_000,
              transaction_id: null,
              referencia: "deposito-1",
              fecha: "2026-01-31 09:00:00"
            }
          ],
          pagination: { page: 1, per_page: 50, total: 2, total_pages: 1 }
        }
      }
    })
    .input(
      input({
        ...paging,
        formato: Schema.optionalKey(
          Schema.Literals(["json", "csv"]).annotate({
            description: "csv: todos los movimientos de los días pedidos, sin páginas."
          })
        )
      })
    )
    .output(output(Schema.Struct({ items: Schema.Array(EntryView), pagination: Pagination })))
    .query(
      answer(
        Effect.fnUntraced(function* ({ ctx, input }) {
          const statement = yield* Statement
          const page = pageOf(input)
          const { items, total } = yield* statement.page(ctx.session.company.id, rangeOf(input), page)
          ctx.reply.message = found(total)
          return { items: items.map(entryView), pagination: paginationOf(page, total) }
        }),
        ({ ctx, input }) => (input.formato === "csv" ? sheet(ctx.session.company.id, rangeOf(input)) : undefined)
      )
    )
})
