import { Effect, Result } from "effect"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import type { Order } from "../../../core/domain/Sale.ts"
import type { Exchange } from "../../http/Exchange.ts"
import type { DtOneApi } from "./DtOneApi.ts"
import { faultsIn, isNotFound } from "./Faults.ts"
import { logFacts } from "./LogFacts.ts"
import { productRequestOf } from "./ProductRequest.ts"
import { Standing, standingOf, type Transaction, transactionsIn } from "./Transaction.ts"

/** Queries DT One for the state of an order, by its xid. Changes nothing. */
export const ask = Effect.fnUntraced(function* (api: DtOneApi, order: Order) {
  const answer = yield* api.find(order.xid)
  const standing = standingIn(order, answer)
  if (standing._tag === "NoAnswer" || standing._tag === "NotAsked") {
    yield* Effect.logWarning("DT One did not answer a status query", { xid: order.xid, ...logFacts(answer) })
  }
  return yield* logged(order, standing)
})

const standingIn = (order: Order, answer: Exchange): Standing => {
  if (answer._tag === "NotSent") return Standing.NotAsked()
  if (answer._tag !== "Answered") return Standing.NoAnswer()
  const { body, status } = answer
  if (isNotFound(status, faultsIn(body))) return Standing.NotFound()
  const transactions = status === 200 ? transactionsIn(body) : null
  return transactions === null ? Standing.NoAnswer() : standingAmong(order, transactions)
}

// The xid is unique at DT One. A list with more than one transaction is not a valid answer.
const standingAmong = (order: Order, transactions: ReadonlyArray<Transaction>): Standing => {
  const [transaction, ...others] = transactions
  if (transaction === undefined) return Standing.NotFound()
  return others.length > 0
    ? Standing.Contradicted({ facts: [`${transactions.length} transactions`] })
    : standingUnder(order, transaction)
}

/** The state of a transaction that DT One returned for an order. */
export const standingUnder = (order: Order, transaction: Transaction): Standing =>
  Result.match(productRequestOf(order), {
    onSuccess: (requested) => standingOf(order, requested, transaction),
    // The order cannot have been sent.
    onFailure: () => Standing.Contradicted({ facts: ["product_id"] })
  })

/** Logs states that need the operator's attention. */
export const logged = (order: Order, standing: Standing): Effect.Effect<Standing> => {
  const about = { xid: order.xid, transactionId: order.transactionId }
  const say = Standing.$match(standing, {
    Delivered: ({ pinMissing }) =>
      pinMissing ? Effect.logError("DT One delivered a PIN but did not return it", about) : Effect.void,
    Refused: ({ status }) =>
      status === "REJECTED-INSUFFICIENT-BALANCE"
        ? Effect.logError("the balance at DT One does not cover a sale", about)
        : Effect.void,
    Open: () => Effect.void,
    TakenBack: () => Effect.void,
    Contradicted: ({ facts }) =>
      Effect.logError("DT One returned a transaction that contradicts its order", { ...about, facts }),
    NotFound: () => Effect.void,
    NoAnswer: () => Effect.void,
    NotAsked: () => Effect.void
  })
  return Effect.as(say, standing)
}

/**
 * The answer to recovery. The sale stays held for the operator in two cases: DT One returns facts that contradict the
 * order, or DT One reversed the sale before Saldo knew of its delivery.
 */
export const status = Effect.fnUntraced(function* (api: DtOneApi, order: Order) {
  const standing = yield* ask(api, order)
  if (standing._tag === "TakenBack") {
    yield* Effect.logError("DT One reversed a sale that it had delivered", { xid: order.xid })
  }
  return statusAnswerOf(standing)
})

const statusAnswerOf: (standing: Standing) => StatusAnswer = Standing.$match({
  Delivered: ({ delivery }): StatusAnswer => StatusAnswer.Delivered({ delivery }),
  Refused: ({ refusal }): StatusAnswer => StatusAnswer.Refused({ refusal }),
  Open: () => StatusAnswer.Unknown(),
  TakenBack: () => StatusAnswer.Unknown(),
  Contradicted: () => StatusAnswer.Unknown(),
  NotFound: () => StatusAnswer.NotFound(),
  NoAnswer: () => StatusAnswer.Unknown(),
  NotAsked: () => StatusAnswer.NotAsked()
})
