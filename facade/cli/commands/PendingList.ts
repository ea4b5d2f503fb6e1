import { DateTime, Duration, Effect } from "effect"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import { type Centavos, toPesos } from "../../../core/domain/Money.ts"
import type { Page } from "../../../core/domain/Page.ts"
import type { Proposal } from "../../../core/domain/Resolution.ts"
import {
  AllTransactions,
  type PendingBand,
  type PendingFilter,
  type PendingOrder,
  type PendingTransaction
} from "../../../core/ports/Transactions.ts"
import { pagesOf } from "../../api/Output.ts"
import { supplierNames } from "../../api/PanoramaView.ts"
import { type Document, formatTable, print } from "../terminal/Output.ts"
import { findingNames } from "./SaleActionDocuments.ts"
import { formatPagePosition, formatUnreadable, transactionDocument, transactionRow } from "./TransactionDocuments.ts"

/** A duration in days, hours and minutes. */
const formatDuration = (duration: Duration.Duration): string => {
  const { days, hours, minutes } = Duration.parts(duration)
  return [
    [days, "d"],
    [hours, "h"],
    [minutes, "min"]
  ]
    .filter(([amount], index) => amount !== 0 || index === 2)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ")
}

/**
 * The time since which the outcome is unknown: the start of the reversal or, if there is none, the start of the sale.
 */
const unknownSince = ({ reversal, transaction }: PendingTransaction): DateTime.Utc =>
  reversal?.createdAt ?? transaction.createdAt

/** The unresolved reversal of a settled sale as JSON. */
const reversalDocument = ({ reversal }: PendingTransaction) =>
  reversal === null ? null : { xid: reversal.xid, status: reversal.status, created_at: formatLocal(reversal.createdAt) }

const answerDocument = ({ lastAnswer }: PendingTransaction) =>
  lastAnswer === null
    ? null
    : { respuesta: lastAnswer.answer, veces: lastAnswer.times, fecha: formatLocal(lastAnswer.at) }

const proposalDocument = (proposal: Proposal | null) =>
  proposal === null
    ? null
    : {
        propuesta: proposal.number,
        resultado: findingNames[proposal.finding._tag],
        motivo: proposal.reason,
        propuesta_por: proposal.proposedBy,
        propuesta_en: formatLocal(proposal.proposedAt),
        confirmada_por: proposal.confirmation?.by ?? null
      }

const pendingDocument = (owned: PendingTransaction, now: DateTime.Utc): Document => ({
  ...transactionDocument(owned),
  ambiente: owned.environment,
  suplidor: supplierNames[owned.supplier],
  anulacion: reversalDocument(owned),
  ultima_respuesta: answerDocument(owned),
  propuesta: proposalDocument(owned.proposal),
  edad_segundos: Math.floor(Duration.toSeconds(DateTime.distance(unknownSince(owned), now)))
})

const pendingRow = (owned: PendingTransaction, now: DateTime.Utc): Document => ({
  ...transactionRow(owned),
  anulacion: owned.reversal?.status ?? null,
  suplidor: supplierNames[owned.supplier],
  respuesta: owned.lastAnswer?.answer ?? null,
  propuesta: owned.proposal === null ? null : findingNames[owned.proposal.finding._tag],
  edad: formatDuration(DateTime.distance(unknownSince(owned), now))
})

const bandDocument = ({ environment, from_s, held, reversals, sales, supplier }: PendingBand): Document => ({
  ambiente: environment,
  suplidor: supplierNames[supplier],
  desde_segundos: from_s,
  ventas: sales,
  anulaciones: reversals,
  retenido: toPesos(held)
})

const bandRow = ({ environment, from_s, held, reversals, sales, supplier }: PendingBand): Document => ({
  edad: from_s === 0 ? "up to 1 min" : `over ${formatDuration(Duration.seconds(from_s))}`,
  ambiente: environment,
  suplidor: supplierNames[supplier],
  ventas: sales,
  anulaciones: reversals,
  retenido: toPesos(held)
})

const formatHeld = (reversals: number, held: Centavos): string =>
  `Held: ${toPesos(held)} pesos.${reversals === 0 ? "" : ` Reversals included: ${reversals} (they hold no money).`}`

/** Prints the unresolved sales and reversals, and their totals by age and supplier. */
export const listPending = Effect.fnUntraced(function* (filter: PendingFilter, order: PendingOrder, page: Page) {
  const transactions = yield* AllTransactions
  const now = yield* DateTime.now
  const pending = yield* transactions.pending(filter, order, page, now)
  const { bands, held, items, reversals, total, unreadable } = pending
  const position = `${formatPagePosition(page, total)} ${formatHeld(reversals, held)}${formatUnreadable(unreadable)}`
  yield* print(
    {
      items: items.map((owned) => pendingDocument(owned, now)),
      anulaciones: reversals,
      retenido: toPesos(held),
      por_edad: bands.map(bandDocument),
      ilegibles: unreadable,
      pagination: pagesOf(page, total)
    },
    items.length + unreadable.length === 0
      ? "Nothing is pending."
      : `${formatTable(items.map((owned) => pendingRow(owned, now)))}\n\n${position}\n\n${formatTable(bands.map(bandRow))}`
  )
})
