import { Effect, Option } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import { CompanyId } from "../../../core/domain/Ids.ts"
import { UnknownTransaction } from "../../../core/domain/OperatorErrors.ts"
import { Status } from "../../../core/domain/Status.ts"
import { AllTransactions, type OwnedTransaction } from "../../../core/ports/AllTransactions.ts"
import { operator } from "../../App.ts"
import { transactionView } from "../../wire/TransactionView.ts"
import { card, type Document, print, table } from "../Output.ts"
import { transactionId } from "../Parameters.ts"

const unresolved: ReadonlyArray<Status> = ["PROCESSING", "PENDING"]
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

const counted = (name: string, most: number, fallback: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.withDescription(description),
    Flag.filter(
      (value) => value >= 1 && value <= most,
      () => `Expected: a whole number from 1 to ${most}`
    ),
    Flag.withDefault(fallback)
  )

const list = Command.make(
  "list",
  {
    companyId: Flag.Int("empresa").pipe(
      Flag.withDescription("Only those of this company (empresa_id)"),
      Flag.filterMap(
        (id) => (Number.isSafeInteger(id) && id > 0 ? Option.some(CompanyId.make(id)) : Option.none()),
        () => "Expected: a whole number above zero"
      ),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    status: Flag.Literals("status", Status.literals).pipe(
      Flag.withDescription("Only those in this state"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    pending: Flag.Boolean("pendientes").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Only those whose outcome is unknown: PROCESSING and PENDING"),
      Flag.withDefault(false)
    ),
    page: counted("page", 1_000_000, 1, "Which page"),
    perPage: counted("per-page", perPage_max, 50, "How many a page")
  },
  Effect.fn(function* ({ companyId, page, pending, perPage, status }) {
    const statuses = pending ? unresolved : status === undefined ? undefined : [status]
    const transactions = yield* AllTransactions
    const { items, total } = yield* transactions.list({ companyId, statuses }, { page, perPage })
    const pages = Math.ceil(total / perPage)
    yield* print(
      {
        items: items.map(transactionDocument),
        pagination: { page, per_page: perPage, total, total_pages: pages }
      },
      items.length === 0
        ? "No such transactions."
        : `${table(items.map(transactionLine))}\n\nPage ${page} of ${pages}; ${total} in all.`
    )
  })
).pipe(
  Command.provide(operator),
  Command.validate(({ pending, status }) =>
    pending && status !== undefined
      ? new CliError.ValidationError({ message: "--status and --pendientes exclude each other: give one." })
      : Effect.void
  ),
  Command.withDescription("List the sales of all companies, newest first."),
  Command.withExamples([
    { command: "saldo transactions list --pendientes", description: "What recovery has still to settle" },
    { command: "saldo transactions list --empresa 7 --status FAILED", description: "What was refused to company 7" }
  ])
)

const show = Command.make(
  "show",
  { transactionId },
  Effect.fn(function* ({ transactionId }) {
    const transactions = yield* AllTransactions
    const found = yield* transactions.find(transactionId)
    if (Option.isNone(found)) return yield* new UnknownTransaction({ transactionId })
    const document = transactionDocument(found.value)
    yield* print(document, card(document))
  })
).pipe(
  Command.provide(operator),
  Command.withDescription("Show one sale, whichever company's it is."),
  Command.withExamples([{ command: "saldo transactions show 4711", description: "Transaction 4711" }])
)

export const transactions = Command.make("transactions").pipe(
  Command.withDescription("Sales of all companies"),
  Command.withSubcommands([list, show])
)
