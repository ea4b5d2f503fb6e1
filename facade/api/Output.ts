import { Schema } from "effect"
import type { FrozenSlice, Page } from "../../core/domain/Page.ts"

/** An amount in pesos: a JSON number with at most 2 decimals. */
export const Pesos = Schema.Finite.annotate({ identifier: "Pesos", description: "Pesos dominicanos (DOP)." })

/** A local date and time. JSON Schema has no name for a format with a space, so a pattern describes it. */
export const LocalTimestamp = Schema.String.annotate({
  description: "Fecha y hora de America/Santo_Domingo: AAAA-MM-DD HH:MM:SS.",
  examples: ["2026-01-31 14:05:09"]
}).check(Schema.isPattern(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/u, { identifier: "FechaHoraLocal" }))

/** First or last day of a policy, in local time. Null until the policy is issued. */
export const PolicyDay = Schema.NullOr(Schema.String.annotate({ format: "date", examples: ["2026-01-31"] }))

/** The fields of a service that a sale shows. */
export const ServiceName = Schema.Struct({ id: Schema.Int, nombre: Schema.String }).annotate({
  identifier: "ServicioVendido"
})

export const currency = "DOP"
export const Currency = Schema.Literal(currency).annotate({ identifier: "Moneda" })

/** The page number, page size and totals of a list. The totals are null if the list was not counted. */
export const pagesOf = <Total extends number | null>({ page, perPage }: Page, total: Total) => ({
  page,
  per_page: perPage,
  total,
  total_pages: (total === null ? null : Math.ceil(total / perPage)) as Total
})

/**
 * The position of a page in its list, and the `hasta_id` with which the other pages show the same list. Contract: 4.7.
 */
export const Pagination = Schema.Struct({
  page: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int,
  total_pages: Schema.Int,
  hasta_id: Schema.Int.annotate({
    description:
      "Envíelo al pedir las demás páginas, para que los elementos nuevos no las desplacen. 0 si todavía no existe ningún elemento."
  })
}).annotate({ identifier: "Paginacion" })

export const paginationOf = (page: Page, { total, upTo }: FrozenSlice<unknown>): typeof Pagination.Type => ({
  ...pagesOf(page, total),
  hasta_id: upTo
})
