import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { timelineOf } from "../../../core/domain/History.ts"
import { UnknownTransaction } from "../../../core/domain/OperatorErrors.ts"
import { Histories } from "../../../core/ports/Histories.ts"
import { saleIdOf } from "../../../core/workflows/FindSales.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { formatFields, print } from "../terminal/Output.ts"
import { formatHistory, historyDocument } from "./HistoryDocuments.ts"
import { confirm, resolve } from "./Resolve.ts"
import { list, transactionDocument } from "./TransactionList.ts"

const sale = Argument.String("transaction").pipe(
  Argument.withDescription("Id (transaction_id) or xid of the sale, such as 4711 or RD-3f2a9c1be07d4a55c1d2e3f4"),
  Argument.filter(
    (text) => /^[1-9]\d*$|[A-Za-z]/.test(text),
    () => "Expected: a whole number above zero, or an xid such as RD-3f2a9c1be07d4a55c1d2e3f4"
  )
)

const show = Command.make(
  "show",
  { text: sale },
  Effect.fn(function* ({ text }) {
    const transactionId = yield* saleIdOf(text)
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
