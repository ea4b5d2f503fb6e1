import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { type Asked, askProvider } from "../../../core/workflows/AskProvider.ts"
import { saleIdOf } from "../../../core/workflows/FindSales.ts"
import { showSale } from "../../../core/workflows/ShowSale.ts"
import { operatorLayer } from "../../AppLayer.ts"
import { formatFields, print } from "../terminal/Output.ts"
import { transactionId } from "../terminal/Parameters.ts"
import { formatHistory, historyDocument } from "./HistoryDocuments.ts"
import { confirm, resolve } from "./Resolve.ts"
import { actionDocuments, formatActions } from "./SaleActionDocuments.ts"
import { transactionDocument } from "./TransactionDocuments.ts"
import { list } from "./TransactionList.ts"

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
    const { actions, history, timeline } = yield* showSale(yield* saleIdOf(text))
    const document = transactionDocument(history)
    yield* print(
      { ...document, historia: historyDocument(timeline), acciones: actionDocuments(actions) },
      `${formatFields(document)}\n\n${formatHistory(timeline)}\n\nNow:\n${formatActions(history.transaction.id, actions)}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Show a sale of any company and its history: reservation, responses, questions to the provider, settlement, ledger entries, reversals, events with their deliveries, and operators' actions. Each step that moves the amount shows where the amount was before and after it. At the end, what can be done now."
  ),
  Command.withShortDescription("Show a sale, its history, and what can be done now"),
  Command.withExamples([
    { command: "saldo transactions show 4711", description: "Transaction 4711" },
    { command: "saldo transactions show RD-3f2a9c1be07d4a55c1d2e3f4", description: "The sale with this xid" }
  ])
)

/** The effect of a provider's answer, as text. */
const formatResult = ({ about, contradiction, reversal, said, status, won }: Asked): string => {
  if (contradiction !== null)
    return `This contradicts the sale, which is ${status}. An alert was recorded (${contradiction}). No money has moved.`
  if (about === "Settled") return `The sale stays ${status}.`
  const subject = about === "Reversal" ? `The reversal is ${reversal}` : `The sale is ${status}`
  if (won) return `${subject}. This answer settled it.`
  const decides = ["Delivered", "Refused", "Confirmed", "Denied"].includes(said)
  return decides ? `${subject}. Another process had settled it.` : `${subject}. This answer decides nothing.`
}

const ask = Command.make(
  "ask",
  { transactionId },
  Effect.fn(function* ({ transactionId }) {
    const { order, ...asked } = yield* askProvider(transactionId)
    const { about, contradiction, reversal, said, status, won } = asked
    yield* print(
      {
        transaction_id: transactionId,
        empresa_id: order.companyId,
        sobre: about === "Reversal" ? "reversal" : "sale",
        respuesta: said,
        status,
        anulacion: reversal,
        liquidada: won,
        contradiccion: contradiction
      },
      `The provider says: ${said}. ${formatResult(asked)}`
    )
  })
).pipe(
  Command.provide(operatorLayer),
  Command.withDescription(
    "Ask the provider or insurer now about a sale, or about its unresolved reversal. A firm answer settles it, as in recovery. NotFound settles nothing, because only recovery counts such answers. A settled sale is compared with the answer: a contradiction raises an alert and moves no money. The order is never sent again."
  ),
  Command.withShortDescription("Ask the provider about a sale now"),
  Command.withExamples([{ command: "saldo transactions ask 4711", description: "Ask about transaction 4711" }])
)

export const transactions = Command.make("transactions").pipe(
  Command.withDescription("Sales of all companies"),
  Command.withSubcommands([list, show, ask, resolve, confirm])
)
