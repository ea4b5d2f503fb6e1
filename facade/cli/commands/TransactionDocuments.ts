import type { CompanyId } from "../../../core/domain/Ids.ts"
import type { Page } from "../../../core/domain/Page.ts"
import type { Transaction } from "../../../core/domain/Transaction.ts"
import type { OwnedTransaction } from "../../../core/ports/Transactions.ts"
import { pagesOf } from "../../api/Output.ts"
import { transactionView } from "../../api/TransactionView.ts"
import type { Document } from "../terminal/Output.ts"

/** A sale of any company as JSON. */
export const transactionDocument = ({
  companyId,
  transaction
}: {
  readonly companyId: CompanyId
  readonly transaction: Transaction
}) => ({
  empresa_id: companyId,
  ...transactionView(transaction)
})

/** The columns of a sale in a table. */
export const transactionRow = (owned: OwnedTransaction): Document => {
  const { amount, created_at, empresa_id, identifier, service, status, transaction_id } = transactionDocument(owned)
  return { transaction_id, empresa_id, status, servicio: service.nombre, identifier, amount, created_at }
}

/** The number of the page and the length of the list. */
export const formatPagePosition = (page: Page, total: number | null): string =>
  total === null
    ? `Page ${page.page}; more pages follow.`
    : `Page ${page.page} of ${pagesOf(page, total).total_pages}; ${total} in all.`

/** Lists the rows of a page that this version cannot read. */
export const formatUnreadable = (ids: ReadonlyArray<number>, what = "transactions"): string =>
  ids.length === 0
    ? ""
    : `\nThis version cannot read and does not show these ${what}: ${ids.join(", ")}. They are unchanged.`
