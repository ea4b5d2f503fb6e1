import type { Status } from "../../core/domain/Status.ts"
import type { CountedList, Narrowing } from "./Paged.ts"
import { transactionColumns } from "./TransactionRow.ts"

export const sales: CountedList = {
  list: "sale",
  length: "sales",
  table: "cell.transaction",
  columns: transactionColumns("t.")
}

type Having = NonNullable<Narrowing["also"]>

/**
 * Condition for the sales of a status, and SQL for their number in a block. The status is a literal, because only then
 * does the planner use a partial index.
 *
 * For PROCESSING, the condition hides the literal from the planner. Otherwise it could choose the index of all
 * companies' unresolved sales, which is long after an outage.
 */
export const having: Readonly<Record<Status, Having>> = {
  PROCESSING: {
    row: "t.status || '' = 'PROCESSING'",
    counted: "o.members - o.pending - o.success - o.failed - o.reversed"
  },
  PENDING: { row: "t.status = 'PENDING'", counted: "o.pending" },
  SUCCESS: { row: "t.status = 'SUCCESS'", counted: "o.success" },
  FAILED: { row: "t.status = 'FAILED'", counted: "o.failed" },
  REVERSED: { row: "t.status = 'REVERSED'", counted: "o.reversed" }
}

/** The condition for several statuses. Undefined (all sales) if no status is given. */
export const havingAnyOf = (statuses: ReadonlyArray<Status> | undefined): Having | undefined =>
  statuses && {
    row: `(${statuses.map((status) => having[status].row).join(" or ")})`,
    counted: `(${statuses.map((status) => having[status].counted).join(" + ")})`
  }
