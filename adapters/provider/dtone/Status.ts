import { Effect, Result } from "effect"
import { StatusAnswer } from "../../../core/domain/Recovery.ts"
import { type Reversal, ReversalAnswer } from "../../../core/domain/Reversal.ts"
import type { Order } from "../../../core/domain/Sale.ts"
import type { Exchange } from "../../http/Exchange.ts"
import type { DtOneApi } from "./DtOneApi.ts"
import { faultsIn, isNotFound, logFacts } from "./Faults.ts"
import { productRequestOf } from "./ProductRequest.ts"
import { Standing, standingOf, type Transaction, transactionsIn } from "./Transaction.ts"

/** Queries DT One for the state of an order by its xid. The query changes nothing at DT One. */
export const askStanding = Effect.fnUntraced(function* (api: DtOneApi, order: Order) {
  const answer = yield* api.find(order.xid)
  const standing = standingIn(order, answer)
  if (standing._tag === "NoAnswer" || standing._tag === "NotAsked") {
    yield* Effect.logWarning("DT One did not answer a status query", { xid: order.xid, ...logFacts(answer) })
  }
  return yield* logStanding(order, standing)
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
    // No request can be made for this order, so the order was never sent to DT One. The transaction belongs to another order.
    onFailure: () => Standing.Contradicted({ facts: ["product_id"] })
  })

/** Logs states that need the operator's attention. */
export const logStanding = (order: Order, standing: Standing): Effect.Effect<Standing> => {
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
 * Answers recovery's status query about a sale. If DT One returns facts that contradict the order, the sale stays held
 * until the operator decides. The same applies if DT One reversed the sale before Saldo knew of the delivery.
 */
export const status = Effect.fnUntraced(function* (api: DtOneApi, order: Order) {
  const standing = yield* askStanding(api, order)
  if (standing._tag === "TakenBack") {
    yield* Effect.logError("DT One reversed a sale that it had delivered", { xid: order.xid })
  }
  return statusAnswerOf(standing)
})

const statusAnswerOf: (standing: Standing) => StatusAnswer = Standing.$match({
  Delivered: ({ delivery }): StatusAnswer => StatusAnswer.Delivered({ delivery }),
  Refused: ({ refusal }): StatusAnswer => StatusAnswer.Refused({ refusal }),
  Open: () => StatusAnswer.Unknown(),
  TakenBack: () => StatusAnswer.TakenBack(),
  Contradicted: () => StatusAnswer.Unknown(),
  NotFound: () => StatusAnswer.NotFound(),
  NoAnswer: () => StatusAnswer.Unknown(),
  NotAsked: () => StatusAnswer.NotAsked()
})

/**
 * Answers a reversal by querying the state of the sale. DT One has no request that reverses a confirmed sale; its staff
 * reverses sales by hand. The reversal is confirmed when DT One shows the sale as reversed. It is denied while DT One
 * shows the sale as completed.
 */
const reversal = (api: DtOneApi, { order }: Reversal, unanswered: ReversalAnswer): Effect.Effect<ReversalAnswer> =>
  Effect.flatMap(
    askStanding(api, order),
    Standing.$match({
      TakenBack: () => Effect.succeed(ReversalAnswer.Confirmed()),
      Delivered: () => Effect.succeed(ReversalAnswer.Denied()),
      Open: () => Effect.succeed(unanswered),
      NotFound: () => Effect.succeed(unanswered),
      NoAnswer: () => Effect.succeed(unanswered),
      NotAsked: () => Effect.succeed(ReversalAnswer.NotSent()),
      // DT One's answer concerns another sale, so it is unknown whether this sale was reversed.
      Contradicted: () => Effect.succeed(unanswered),
      Refused: ({ status }) =>
        Effect.as(
          Effect.logError("DT One reports a delivered sale as failed", { xid: order.xid, status }),
          ReversalAnswer.Denied()
        )
    })
  )

/**
 * Begins a reversal. Sends nothing to DT One except the status query. If DT One does not answer, the reversal has not
 * begun, so its idempotency key may be used again.
 */
export const reverse = (api: DtOneApi, asked: Reversal) => reversal(api, asked, ReversalAnswer.NotSent())

export const reversalStatus = (api: DtOneApi, asked: Reversal) => reversal(api, asked, ReversalAnswer.Unknown())
