import { Effect, Order } from "effect"
import { PageTooDeep } from "../../../core/domain/OperatorErrors.ts"
import type { Page } from "../../../core/domain/Page.ts"

/**
 * How many rows of a list over several cells can be reached by pages. Each cell reads all rows up to the end of the page.
 */
const reach_usual = 10_000

/** How many cells are read at the same time. */
const cells_max = 4

/** Merges two lists. Each keeps its own order, so the beginning of the result depends only on their beginnings. */
const mergedTwo = <Row>(left: ReadonlyArray<Row>, right: ReadonlyArray<Row>, order: Order.Order<Row>) => {
  const rows: Array<Row> = []
  let taken = 0
  for (const row of left) {
    for (let next = right[taken]; next !== undefined && order(next, row) < 0; next = right[taken]) {
      rows.push(next)
      taken += 1
    }
    rows.push(row)
  }
  return [...rows, ...right.slice(taken)]
}

/**
 * A page of a list over cells, with what each cell has read for it. One cell reads only the page. Of several cells, each
 * reads as many rows as the page reaches back.
 *
 * @param order the order in which the rows of different cells are merged.
 * @param reach_max how many rows can be reached, if there are several cells.
 */
export const mergedPage = Effect.fnUntraced(function* <
  Cell,
  Row,
  Part extends { readonly rows: ReadonlyArray<Row> },
  E
>(
  cells: ReadonlyArray<Cell>,
  page: Page,
  order: Order.Order<Row>,
  read: (cell: Cell, page: Page) => Effect.Effect<Part, E>,
  reach_max = reach_usual
) {
  const reach = page.page * page.perPage
  const areSeveral = cells.length > 1
  if (areSeveral && reach > reach_max) return yield* new PageTooDeep({ rows_max: reach_max })
  const wanted = areSeveral ? { page: 1, perPage: reach } : page
  const parts = yield* Effect.forEach(cells, (cell) => read(cell, wanted), { concurrency: cells_max })
  const rows = parts.reduce<ReadonlyArray<Part["rows"][number]>>(
    (merged, part) => mergedTwo(merged, part.rows, order),
    []
  )
  return { rows: areSeveral ? rows.slice(reach - page.perPage, reach) : rows, parts }
})

interface DatedRow {
  readonly created_at: Date
  readonly id: bigint
}

/** Newest first. */
export const newestFirst: Order.Order<DatedRow> = Order.flip(
  Order.combineAll<DatedRow>([
    Order.mapInput(Order.Date, (row) => row.created_at),
    Order.mapInput(Order.BigInt, (row) => row.id)
  ])
)
