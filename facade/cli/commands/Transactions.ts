import { DateTime, Duration, Effect, Option } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { timelineOf } from "../../../core/domain/History.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import { type Centavos, toPesos } from "../../../core/domain/Money.ts"
import { UnknownTransaction } from "../../../core/domain/OperatorErrors.ts"
import type { Page } from "../../../core/domain/Page.ts"
import { Status } from "../../../core/domain/Status.ts"
import {
  AllTransactions,
  type OwnedTransaction,
  type PendingOrder,
  type PendingTransaction
} from "../../../core/ports/AllTransactions.ts"
import { Histories } from "../../../core/ports/Histories.ts"
import { operator } from "../../Operator.ts"
import { paginationOf } from "../../wire/Paging.ts"
import { transactionView } from "../../wire/TransactionView.ts"
import { orDefault, toggle, whole } from "../terminal/Flags.ts"
import { historyDocument, historyWords } from "../terminal/History.ts"
import { card, type Document, print, table } from "../terminal/Output.ts"
import { ofCompany, transactionId } from "../terminal/Parameters.ts"
import { confirm, resolve } from "./Resolve.ts"

const perPage_max = 200

const transactionDocument = ({ companyId, transaction }: OwnedTransaction) => ({
  empresa_id: companyId,
  ...transactionView(transaction)
})

/** What fits on a line. */
const transactionLine = (owned: OwnedTransaction): Document => {
  const { amount, created_at, empresa_id, identifier, service, status, transaction_id } = transactionDocument(owned)
  return { transaction_id, empresa_id, status, servicio: service.nombre, identifier, amount, created_at }
}

const pageWords = (page: Page, total: number): string =>
  `Page ${page.page} of ${paginationOf(page, total).total_pages}; ${total} in all.`

/** What a page says of those that this version cannot read. */
const unreadableWords = (ids: ReadonlyArray<number>): string =>
  ids.length === 0 ? "" : `\nNot shown, as this version cannot read them: ${ids.join(", ")}. They stay as they are.`

/** Days, hours and minutes, as a person would say them. */
const ageOf = (since: DateTime.Utc, now: DateTime.Utc): string => {
  const { days, hours, minutes } = Duration.parts(DateTime.distance(since, now))
  return [
    [days, "d"],
    [hours, "h"],
    [minutes, "min"]
  ]
    .filter(([amount], index) => amount !== 0 || index === 2)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(" ")
}

/** Since when nobody knows: of a reversal, since it began. */
const doubtedAt = ({ reversal, transaction }: PendingTransaction): DateTime.Utc =>
  reversal?.createdAt ?? transaction.createdAt

/** What is in doubt of a sale whose own state is settled. */
const reversalDocument = ({ reversal }: PendingTransaction) =>
  reversal === null ? null : { xid: reversal.xid, status: reversal.status, created_at: formatLocal(reversal.createdAt) }

const pendingWords = (reversals: number, held: Centavos): string =>
  `They hold ${toPesos(held)} pesos.${reversals === 0 ? "" : ` Reversals among them: ${reversals}; they hold nothing.`}`

const listPending = Effect.fnUntraced(function* (companyId: CompanyId | undefined, order: PendingOrder, page: Page) {
  const transactions = yield* AllTransactions
  const now = yield* DateTime.now
  const { held, items, reversals, total, unreadable } = yield* transactions.pending(companyId, order, page)
  yield* print(
    {
      items: items.map((owned) => ({
        ...transactionDocument(owned),
        anulacion: reversalDocument(owned),
        edad_segundos: Math.floor(Duration.toSeconds(DateTime.distance(doubtedAt(owned), now)))
      })),
      anulaciones: reversals,
      retenido: toPesos(held),
      ilegibles: unreadable,
      pagination: paginationOf(page, total)
    },
    items.length + unreadable.length === 0
      ? "Nothing is pending."
      : `${table(items.map((owned) => ({ ...transactionLine(owned), anulacion: owned.reversal?.status ?? null, edad: ageOf(doubtedAt(owned), now) })))}\n\n${pageWords(page, total)} ${pendingWords(reversals, held)}${unreadableWords(unreadable)}`
  )
})

const list = Command.make(
  "list",
  {
    companyId: ofCompany,
    status: Flag.Literals("status", Status.literals).pipe(
      Flag.withDescription("Only those in this state"),
      orDefault(undefined, "any")
    ),
    pending: toggle(
      "pendientes",
      "Only those whose outcome is unknown, PROCESSING and PENDING, and those whose reversal is so"
    ),
    order: Flag.ChoiceWithValue("orden", [
      ["edad", "age"],
      ["monto", "amount"]
    ]).pipe(
      Flag.withDescription(
        "With --pendientes: the oldest first, or those that hold the most; a reversal holds nothing"
      ),
      orDefault(undefined, "edad")
    ),
    page: whole("page", { minimum: 1, maximum: 1_000_000 }, "Which page").pipe(orDefault(1)),
    perPage: whole("per-page", { minimum: 1, maximum: perPage_max }, "How many a page").pipe(orDefault(50))
  },
  Effect.fn(function* ({ companyId, order, page, pending, perPage, status }) {
    if (pending) return yield* listPending(companyId, order ?? "age", { page, perPage })
    const transactions = yield* AllTransactions
    const statuses = status === undefined ? undefined : [status]
    const { items, total, unreadable } = yield* transactions.list({ companyId, statuses }, { page, perPage })
    yield* print(
      {
        items: items.map(transactionDocument),
        ilegibles: unreadable,
        pagination: paginationOf({ page, perPage }, total)
      },
      items.length + unreadable.length === 0
        ? "No such transactions."
        : `${table(items.map(transactionLine))}\n\n${pageWords({ page, perPage }, total)}${unreadableWords(unreadable)}`
    )
  })
).pipe(
  Command.provide(operator),
  Command.validate(({ order, pending, status }) => {
    if (pending && status !== undefined) {
      return new CliError.ValidationError({ message: "--status and --pendientes exclude each other: give one." })
    }
    return order !== undefined && !pending
      ? new CliError.ValidationError({ message: "--orden goes with --pendientes; all others are listed newest first." })
      : Effect.void
  }),
  Command.withDescription("List the sales of all companies, newest first; what is pending by age or by what it holds."),
  Command.withExamples([
    { command: "saldo transactions list --pendientes", description: "What recovery has still to settle, oldest first" },
    { command: "saldo transactions list --pendientes --orden monto", description: "What holds the most" },
    { command: "saldo transactions list --empresa 7 --status FAILED", description: "What was refused to company 7" }
  ])
)

const show = Command.make(
  "show",
  { transactionId },
  Effect.fn(function* ({ transactionId }) {
    const histories = yield* Histories
    const found = yield* histories.find(transactionId)
    if (Option.isNone(found)) return yield* new UnknownTransaction({ transactionId })
    const document = transactionDocument(found.value)
    const timeline = timelineOf(found.value)
    yield* print({ ...document, historia: historyDocument(timeline) }, `${card(document)}\n\n${historyWords(timeline)}`)
  })
).pipe(
  Command.provide(operator),
  Command.withDescription(
    "Show one sale, whichever company's it is, and all that happened to it: reservation, answers, what recovery asked, settlement, ledger, reversals, and what operators did."
  ),
  Command.withShortDescription("Show one sale and all that happened to it"),
  Command.withExamples([{ command: "saldo transactions show 4711", description: "Transaction 4711" }])
)

export const transactions = Command.make("transactions").pipe(
  Command.withDescription("Sales of all companies"),
  Command.withSubcommands([list, show, resolve, confirm])
)
