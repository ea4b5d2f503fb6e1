import { DateTime, Duration, Effect, Option } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { type FoundBy, HistoryEvent, type Moment, timelineOf } from "../../../core/domain/History.ts"
import type { CompanyId } from "../../../core/domain/Ids.ts"
import { formatLocal } from "../../../core/domain/LocalTime.ts"
import { type Centavos, toPesos } from "../../../core/domain/Money.ts"
import { UnknownTransaction } from "../../../core/domain/OperatorErrors.ts"
import type { Page } from "../../../core/domain/Page.ts"
import { Status } from "../../../core/domain/Status.ts"
import { Histories } from "../../../core/ports/Histories.ts"
import {
  AllTransactions,
  type OwnedTransaction,
  type PendingOrder,
  type PendingTransaction
} from "../../../core/ports/Transactions.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { entryView } from "../../api/Movimientos.ts"
import { pagesOf } from "../../api/Output.ts"
import { transactionView } from "../../api/TransactionView.ts"
import { orDefault, toggle, wholeNumber } from "../terminal/Flags.ts"
import { type Document, formatFields, formatTable, print } from "../terminal/Output.ts"
import { companyFilter, transactionId } from "../terminal/Parameters.ts"
import { confirm, resolve } from "./Resolve.ts"

/** An event of a sale's history as JSON. */
const eventDocument = HistoryEvent.$match({
  Reserved: ({ amount, key }): Document => ({ evento: "reserved", idempotency_key: key, monto: toPesos(amount) }),
  Answered: ({ by, outcome, repeatsUntil }): Document => ({
    evento: "answered",
    respuesta: outcome,
    por: by,
    se_repite_hasta: repeatsUntil === null ? null : formatLocal(repeatsUntil)
  }),
  Replayed: ({ about, times, until }): Document => ({
    evento: "replayed",
    sobre: about,
    veces: times,
    ultima: formatLocal(until)
  }),
  Asked: ({ about, answer, times, until }): Document => ({
    evento: "asked",
    sobre: about,
    respuesta: answer,
    veces: times,
    ultima: formatLocal(until)
  }),
  NotAsked: ({ about, times, until }): Document => ({
    evento: "not_asked",
    sobre: about,
    veces: times,
    ultima: formatLocal(until)
  }),
  Settled: ({ authCode, by, refusal, status }): Document => ({
    evento: "settled",
    status,
    por: by,
    auth_code: authCode,
    motivo: refusal
  }),
  Entered: ({ entry }): Document => {
    const { monto, movimiento_id, saldo, tipo } = entryView(entry)
    return { evento: "entered", movimiento_id, tipo, monto, saldo }
  },
  ReversalBegun: ({ xid }): Document => ({ evento: "reversal_begun", xid }),
  ReversalEnded: ({ by, status, xid }): Document => ({ evento: "reversal_ended", xid, status, por: by }),
  Audited: ({ action, details }): Document => ({ evento: action, detalles: details })
})

const formatRepetition = (times: number, until: DateTime.Utc): string =>
  times === 1 ? "" : `, ${times} times until ${formatLocal(until)}`

const foundByTexts: Readonly<Record<FoundBy, string>> = {
  call: "by the call itself",
  recovery: "by recovery",
  operator: "by two operators"
}

/** An event of a sale's history as text. */
const formatEvent = HistoryEvent.$match({
  Reserved: ({ amount, key }) => `reserved: ${toPesos(amount)} pesos held, under the key ${key}`,
  Answered: ({ by, outcome, repeatsUntil }) =>
    `answered ${outcome} ${foundByTexts[by]}; a retry receives the same response ${repeatsUntil === null ? "while it is unresolved" : `until ${formatLocal(repeatsUntil)}`}`,
  Replayed: ({ about, times, until }) =>
    `a retry received the stored response of the ${about}${formatRepetition(times, until)}`,
  Asked: ({ about, answer, times, until }) =>
    `recovery asked about the ${about}: ${answer}${formatRepetition(times, until)}`,
  NotAsked: ({ about, times, until }) =>
    `recovery could not ask about the ${about}, because the provider or insurer accepts no calls${formatRepetition(times, until)}`,
  Settled: ({ authCode, by, refusal, status }) =>
    `settled ${foundByTexts[by]}: ${[status, authCode ?? refusal ?? "never sent"].join(", ")}`,
  Entered: ({ entry }) =>
    `ledger entry ${entry.id}, ${entry.type}: ${toPesos(entry.amount)} pesos, leaving ${toPesos(entry.balance)}`,
  ReversalBegun: ({ xid }) => `reversal begun as ${xid}`,
  ReversalEnded: ({ by, status, xid }) => `reversal ${xid} ended ${foundByTexts[by]}: ${status}`,
  Audited: ({ action, details }) => `${action}: ${formatFields(details).replaceAll("\n", ", ")}`
})

const historyDocument = (timeline: ReadonlyArray<Moment>): ReadonlyArray<Document> =>
  timeline.map(({ at, event }) => ({ fecha: formatLocal(at), ...eventDocument(event) }))

const formatHistory = (timeline: ReadonlyArray<Moment>): string =>
  timeline.map(({ at, event }) => `${formatLocal(at)}  ${formatEvent(event)}`).join("\n")

const perPage_max = 200

const transactionDocument = ({ companyId, transaction }: OwnedTransaction) => ({
  empresa_id: companyId,
  ...transactionView(transaction)
})

/** The columns of a sale in a table. */
const transactionRow = (owned: OwnedTransaction): Document => {
  const { amount, created_at, empresa_id, identifier, service, status, transaction_id } = transactionDocument(owned)
  return { transaction_id, empresa_id, status, servicio: service.nombre, identifier, amount, created_at }
}

const formatPagePosition = (page: Page, total: number): string =>
  `Page ${page.page} of ${pagesOf(page, total).total_pages}; ${total} in all.`

/** Lists the sales of a page that this version cannot read. */
const formatUnreadable = (ids: ReadonlyArray<number>): string =>
  ids.length === 0
    ? ""
    : `\nThis version cannot read and does not show these transactions: ${ids.join(", ")}. They are unchanged.`

/** A duration in days, hours and minutes. */
const formatAge = (since: DateTime.Utc, now: DateTime.Utc): string => {
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

/** The time since which the outcome is unknown: the start of the reversal or, without a reversal, of the sale. */
const unknownSince = ({ reversal, transaction }: PendingTransaction): DateTime.Utc =>
  reversal?.createdAt ?? transaction.createdAt

/** The unresolved reversal of a settled sale as JSON. */
const reversalDocument = ({ reversal }: PendingTransaction) =>
  reversal === null ? null : { xid: reversal.xid, status: reversal.status, created_at: formatLocal(reversal.createdAt) }

const formatHeld = (reversals: number, held: Centavos): string =>
  `Held: ${toPesos(held)} pesos.${reversals === 0 ? "" : ` Reversals included: ${reversals} (they hold no money).`}`

const listPending = Effect.fnUntraced(function* (companyId: CompanyId | undefined, order: PendingOrder, page: Page) {
  const transactions = yield* AllTransactions
  const now = yield* DateTime.now
  const { held, items, reversals, total, unreadable } = yield* transactions.pending(companyId, order, page)
  yield* print(
    {
      items: items.map((owned) => ({
        ...transactionDocument(owned),
        anulacion: reversalDocument(owned),
        edad_segundos: Math.floor(Duration.toSeconds(DateTime.distance(unknownSince(owned), now)))
      })),
      anulaciones: reversals,
      retenido: toPesos(held),
      ilegibles: unreadable,
      pagination: pagesOf(page, total)
    },
    items.length + unreadable.length === 0
      ? "Nothing is pending."
      : `${formatTable(items.map((owned) => ({ ...transactionRow(owned), anulacion: owned.reversal?.status ?? null, edad: formatAge(unknownSince(owned), now) })))}\n\n${formatPagePosition(page, total)} ${formatHeld(reversals, held)}${formatUnreadable(unreadable)}`
  )
})

const list = Command.make(
  "list",
  {
    companyId: companyFilter,
    status: Flag.Literals("status", Status.literals).pipe(
      Flag.withDescription("Only transactions in this state"),
      orDefault(undefined, "any")
    ),
    pending: toggle(
      "pendientes",
      "Only unresolved sales (PROCESSING and PENDING), and sales with an unresolved reversal"
    ),
    order: Flag.ChoiceWithValue("orden", [
      ["edad", "age"],
      ["monto", "amount"]
    ]).pipe(
      Flag.withDescription("With --pendientes: by age or by held amount. Reversals hold no money"),
      orDefault(undefined, "edad")
    ),
    page: wholeNumber("page", { minimum: 1, maximum: 1_000_000 }, "Page number").pipe(orDefault(1)),
    perPage: wholeNumber("per-page", { minimum: 1, maximum: perPage_max }, "Page size").pipe(orDefault(50))
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
        pagination: pagesOf({ page, perPage }, total)
      },
      items.length + unreadable.length === 0
        ? "No such transactions."
        : `${formatTable(items.map(transactionRow))}\n\n${formatPagePosition({ page, perPage }, total)}${formatUnreadable(unreadable)}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.validate(({ order, pending, status }) => {
    if (pending && status !== undefined) {
      return new CliError.ValidationError({ message: "--status and --pendientes exclude each other. Give only one." })
    }
    return order !== undefined && !pending
      ? new CliError.ValidationError({ message: "--orden needs --pendientes. Other lists are sorted newest first." })
      : Effect.void
  }),
  Command.withDescription(
    "List the sales of all companies, newest first. With --pendientes, by age or by held amount."
  ),
  Command.withExamples([
    { command: "saldo transactions list --pendientes", description: "Unresolved sales, oldest first" },
    {
      command: "saldo transactions list --pendientes --orden monto",
      description: "Unresolved sales, largest held amount first"
    },
    { command: "saldo transactions list --empresa 7 --status FAILED", description: "Failed sales of company 7" }
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
    yield* print(
      { ...document, historia: historyDocument(timeline) },
      `${formatFields(document)}\n\n${formatHistory(timeline)}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Show a sale of any company and its history: reservation, responses, recovery's queries, settlement, ledger entries, reversals, and operators' actions."
  ),
  Command.withShortDescription("Show a sale and its history"),
  Command.withExamples([{ command: "saldo transactions show 4711", description: "Transaction 4711" }])
)

export const transactions = Command.make("transactions").pipe(
  Command.withDescription("Sales of all companies"),
  Command.withSubcommands([list, show, resolve, confirm])
)
