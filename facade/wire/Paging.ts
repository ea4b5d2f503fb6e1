import { Schema } from "effect"
import type { Page } from "../../core/domain/Page.ts"
import { day, wholeBetween } from "./Fields.ts"

const perPage_default = 50
const perPage_max = 200
/** Beyond it there is nothing, and the offset is still a number that Postgres reads. */
const page_max = 1_000_000_000

/** Which part of a list, and which days of it. Contract: 4.7. */
export const paging = {
  page: Schema.optionalKey(wholeBetween(1, page_max, "Número de página.", 1)),
  per_page: Schema.optionalKey(wholeBetween(1, perPage_max, "Elementos por página.", perPage_default)),
  date_from: Schema.optionalKey(day("Desde este día, inclusive.")),
  date_to: Schema.optionalKey(day("Hasta este día, inclusive."))
}

interface Paging {
  readonly page?: number
  readonly per_page?: number
  readonly date_from?: string
  readonly date_to?: string
}

export const pageOf = ({ page = 1, per_page = perPage_default }: Paging): Page => ({ page, perPage: per_page })

export const rangeOf = ({ date_from, date_to }: Paging) => ({ from: date_from, to: date_to })

/** The shape of a list's `pagination`. Contract: 4.7. */
export const Pagination = Schema.Struct({
  page: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int,
  total_pages: Schema.Int
}).annotate({ identifier: "Paginacion" })

export const paginationOf = ({ page, perPage }: Page, total: number): typeof Pagination.Type => ({
  page,
  per_page: perPage,
  total,
  total_pages: Math.ceil(total / perPage)
})
