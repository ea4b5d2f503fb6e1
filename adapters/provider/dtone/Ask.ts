import { Effect, Result } from "effect"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import type { Order } from "../../../core/domain/Sale.ts"
import type { Exchange } from "../../http/Exchange.ts"
import type { DtOneApi } from "./DtOneApi.ts"
import { faultsIn, isNotFound } from "./Faults.ts"
import { logFacts } from "./LogFacts.ts"
import { productRequestOf } from "./ProductRequest.ts"
import { Standing, standingOf, type Transaction, transactionsIn } from "./Transaction.ts"

/** Asks DT One, by the xid, where an order stands. Asking changes nothing. */
export const ask = Effect.fnUntraced(function* (api: DtOneApi, order: Order) {
  const answer = yield* api.find(order.xid)
  const standing = standingIn(order, answer)
  if (standing._tag === "NoAnswer" || standing._tag === "NotAsked") {
    yield* Effect.logWarning("DT One did not tell where a sale stands", { xid: order.xid, ...logFacts(answer) })
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

// The xid is unique at DT One. A list that has anything beside it is no answer to what was asked.
const standingAmong = (order: Order, transactions: ReadonlyArray<Transaction>): Standing => {
  const [transaction, ...others] = transactions
  if (transaction === undefined) return Standing.NotFound()
  return others.length > 0
    ? Standing.Contradicted({ facts: [`${transactions.length} transactions`] })
    : standingUnder(order, transaction)
}

/** Where a transaction stands that is said to be that of the order. */
export const standingUnder = (order: Order, transaction: Transaction): Standing =>
  Result.match(productRequestOf(order), {
    onSuccess: (requested) => standingOf(order, requested, transaction),
    // Nothing can have been sent for it.
    onFailure: () => Standing.Contradicted({ facts: ["product_id"] })
  })

/** Logs what an operator should look at. */
export const logged = (order: Order, standing: Standing): Effect.Effect<Standing> => {
  const about = { xid: order.xid, transactionId: order.transactionId }
  const say = Standing.$match(standing, {
    Delivered: ({ pinMissing }) =>
      pinMissing ? Effect.logError("DT One does not tell the PIN that it delivered", about) : Effect.void,
    Refused: ({ status }) =>
      status === "REJECTED-INSUFFICIENT-BALANCE"
        ? Effect.logError("the balance with DT One does not cover a sale", about)
        : Effect.void,
    Open: () => Effect.void,
    TakenBack: () => Effect.void,
    Contradicted: ({ facts }) => Effect.logError("DT One says of a sale what was not asked for", { ...about, facts }),
    NotFound: () => Effect.void,
    NoAnswer: () => Effect.void,
    NotAsked: () => Effect.void
  })
  return Effect.as(say, standing)
}

/**
 * What recovery hears. A sale that DT One took back before its delivery was known stays held, as one does of which it
 * says something else: somebody has to look.
 */
export const status = Effect.fnUntraced(function* (api: DtOneApi, order: Order) {
  const standing = yield* ask(api, order)
  if (standing._tag === "TakenBack") {
    yield* Effect.logError("DT One has taken back what it had delivered", { xid: order.xid })
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
