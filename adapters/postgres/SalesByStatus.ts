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
 * The sales of a status, and how many of them a block has. The status is written out, as only so does the planner see
 * that a partial index serves. Of those in flight it must not see it: the index of all companies' unresolved sales
 * would look good to it, and be long after an outage.
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

/** The sales of any of some statuses, or all of them when none is asked for. */
export const havingAnyOf = (statuses: ReadonlyArray<Status> | undefined): Having | undefined =>
  statuses && {
    row: `(${statuses.map((status) => having[status].row).join(" or ")})`,
    counted: `(${statuses.map((status) => having[status].counted).join(" + ")})`
  }
