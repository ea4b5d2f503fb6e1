import { DateTime, Duration, Effect, Option } from "effect"
import { DispatchAnswer, type Order } from "../../../core/domain/Sale.ts"
import type { DtOneApi } from "./DtOneApi.ts"
import { faultOf, faultsIn, logFacts } from "./Faults.ts"
import { logUnsendable, type ProductRequest, productRequestOf } from "./ProductRequest.ts"
import { Account, accountOf } from "./Statements.ts"
import { askStanding, logStanding, standingUnder } from "./Status.ts"
import { Standing, transactionIn } from "./Transaction.ts"

/** Timeout for the second lookup of a bill. If the lookup does not answer in time, the sale is not sent. */
const lookup_max = Duration.seconds(8)

/**
 * Maximum age at which the sale of a bill is still sent. If the sale is older, this machine may have been suspended.
 * Another process may then already have released the sale.
 */
const lookedUp_max = Duration.seconds(20)

/**
 * Timeout for the request that creates a transaction. DT One answers this request immediately, before the mobile
 * operator has delivered. If DT One does not answer in time, its answer counts as lost.
 */
const creation_max = Duration.seconds(12)

/** Timeout for one status query. After the timeout, the query is repeated. */
const question_max = Duration.seconds(6)

/** Timeout for the whole dispatch, shorter than the provider timeout of the workflow. Contract: 8. */
const dispatch_max = Duration.seconds(25)

/** The pause before each status query. */
const pauses_ms = [500, 1000, 2000, 3000]
const pauseLater_ms = 5000

/**
 * Sends an order once. Then queries the state of the order by its xid until the state is final or `dispatch_max` is over.
 * Never sends the order again after a lost answer.
 */
export const dispatch = (api: DtOneApi, order: Order): Effect.Effect<DispatchAnswer> =>
  sendAndFollow(api, order).pipe(
    Effect.timeoutOrElse({ duration: dispatch_max, orElse: () => Effect.succeed(DispatchAnswer.Unknown()) })
  )

const sendAndFollow = Effect.fnUntraced(function* (api: DtOneApi, order: Order) {
  const requested = yield* sendable(order)
  const dueOn = yield* stillDue(api, order, requested)
  return (yield* create(api, order, requested, dueOn)) ?? (yield* follow(api, order))
}, Effect.catch(Effect.succeed))

// Builds the DT One request of an order. If the order cannot be sent, fails with the answer to the order.
const sendable = (order: Order) =>
  Effect.fromResult(productRequestOf(order)).pipe(
    Effect.tapError(({ _tag }) => (_tag === "NotSent" ? logUnsendable(order) : Effect.void))
  )

/**
 * Looks up the bill a second time before paying it. Refuses the sale if the bill was paid or its amount changed in the
 * meantime. Returns the due date, which some products require. Returns null for products that are not bills.
 */
const stillDue = Effect.fnUntraced(function* (
  api: DtOneApi,
  order: Order,
  { amount, productId, statement }: ProductRequest
) {
  if (statement === null) return null
  const account = yield* accountOf(api, productId, order.identifier).pipe(
    Effect.timeoutOrElse({ duration: lookup_max, orElse: () => Effect.succeed(Account.NoAnswer()) })
  )
  const bill = yield* Account.$match(account, {
    Owes: ({ bills }) => Effect.succeed(bills.find(({ reference }) => reference === statement) ?? null),
    NotFound: () => Effect.succeed(null),
    NoAnswer: () => Effect.fail(DispatchAnswer.NotSent())
  })
  if (bill === null) return yield* Effect.fail(DispatchAnswer.Refused({ refusal: "TRANSACTION_REJECTED" }))
  if (bill.amount !== amount) return yield* Effect.fail(DispatchAnswer.Refused({ refusal: "INVALID_AMOUNT" }))
  const isStale = Duration.isGreaterThan(DateTime.distance(order.createdAt, yield* DateTime.now), lookedUp_max)
  return isStale ? yield* Effect.fail(DispatchAnswer.Unknown()) : bill.dueOn
})

/** Sends the order once. Null if the response does not prove what happened to the order. */
const create = Effect.fnUntraced(function* (
  api: DtOneApi,
  order: Order,
  requested: ProductRequest,
  dueOn: string | null
) {
  const answer = yield* Effect.timeoutOption(api.create(order, requested, dueOn), creation_max)
  const about = { xid: order.xid, ...(Option.isSome(answer) ? logFacts(answer.value) : { answer: "none in time" }) }
  if (Option.isSome(answer) && answer.value._tag === "NotSent") {
    return yield* Effect.as(Effect.logError("DT One cannot be reached", about), DispatchAnswer.NotSent())
  }
  if (Option.isSome(answer) && answer.value._tag === "Answered") {
    const { body, status } = answer.value
    const transaction = status >= 200 && status < 300 ? transactionIn(body) : null
    if (transaction !== null) return firmly(yield* logStanding(order, standingUnder(order, transaction)))
    const fault = faultOf(status, faultsIn(body))
    if (fault._tag === "Refused") {
      return yield* Effect.as(Effect.logWarning("DT One refused a sale", about), DispatchAnswer.Refused(fault))
    }
    if (fault._tag === "TurnedAway") {
      return yield* Effect.as(
        Effect.logError("DT One rejected a sale because of our credentials, balance or rate", about),
        DispatchAnswer.NotSent()
      )
    }
  }
  return yield* Effect.as(Effect.logWarning("DT One gave no firm answer to a sale", about), null)
})

const follow = Effect.fnUntraced(function* (api: DtOneApi, order: Order) {
  for (let asked = 0; ; asked++) {
    yield* Effect.sleep(Duration.millis(pauses_ms[asked] ?? pauseLater_ms))
    const standing = yield* askStanding(api, order).pipe(
      Effect.timeoutOrElse({ duration: question_max, orElse: () => Effect.succeed(Standing.NoAnswer()) })
    )
    const answer = firmly(standing)
    if (answer !== null) return answer
  }
})

/** The answer that follows from a final state of the order. Null if the state is not final yet. */
const firmly: (standing: Standing) => DispatchAnswer | null = Standing.$match({
  Delivered: ({ delivery }): DispatchAnswer | null => DispatchAnswer.Delivered({ delivery }),
  Refused: ({ refusal }) => DispatchAnswer.Refused({ refusal }),
  TakenBack: () => DispatchAnswer.Unknown(),
  Contradicted: () => DispatchAnswer.Unknown(),
  Open: () => null,
  NotFound: () => null,
  NoAnswer: () => null,
  NotAsked: () => null
})
