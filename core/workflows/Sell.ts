import { Clock, Effect, Exit } from "effect"
import { Rejected, ServiceUnavailable, TransactionPending } from "../domain/Errors.ts"
import type { CompanyId } from "../domain/Ids.ts"
import { DispatchAnswer, type Intent, type Order, Outcome, pendingOf, saleIn, verdictOf } from "../domain/Sale.ts"
import { Ledger, Reserved } from "../ports/Ledger.ts"
import { countSale } from "../telemetry/Metrics.ts"
import { withSpan } from "../telemetry/Spans.ts"
import { isBeforeSendDeadline, withFallback } from "./ExternalCalls.ts"
import { InFlight, type Reply } from "./InFlight.ts"
import { type Replayable, replay } from "./Replay.ts"
import { settle } from "./Settlement.ts"
import type { Supplier } from "./Supplier.ts"

/**
 * Makes a sale once: reserve, dispatch, then confirm, release or hold. Contract: 3.1 and 4.5.
 *
 * The reservation is committed before the dispatch, and no database transaction is open during the dispatch. If the
 * outcome is not firm, the amount stays held and recovery continues. The sale continues when the caller disconnects.
 */
export const sell = withSpan(
  "Sell.sell",
  Effect.fnUntraced(function* (intent: Intent, supplier: Supplier) {
    const inFlight = yield* InFlight
    return yield* inFlight.runWithReply((reply: Reply<Replayable<Outcome>, ServiceUnavailable>) =>
      reserveAndSend(intent, supplier, reply)
    )
  })
)

const reserveAndSend = Effect.fnUntraced(function* (
  intent: Intent,
  supplier: Supplier,
  reply: Reply<Replayable<Outcome>, ServiceUnavailable>
) {
  const ledger = yield* Ledger
  const since_ns = yield* Clock.monotonicTimeNanos
  const reserved = yield* ledger.reserve(intent)
  return yield* Reserved.$match(reserved, {
    Replay: ({ outcome }) => replaySale(intent.companyId, outcome),
    Reservation: ({ order }) =>
      Effect.flatMap(isBeforeSendDeadline(since_ns, order.createdAt), (fresh) =>
        settleAnswer(order, fresh ? send(order, supplier) : leaveToRecovery(order), reply)
      )
  })
})

/** Replays the response of the first call with the key. */
export const replaySale = (companyId: CompanyId, outcome: Outcome) =>
  replay(outcome, { companyId, transactionId: saleIn(outcome).transactionId, about: "sale" })

const send = (order: Order, supplier: Supplier) =>
  withFallback(supplier.dispatch(order), Effect.succeed(DispatchAnswer.Unknown()), (cause) =>
    Effect.logError("the provider's adapter failed on a sale, which stays held", { xid: order.xid }, cause)
  )

/**
 * Does not send the sale, because the process was paused too long and recovery may already have settled it. The amount
 * of an unsettled sale stays held, and its key replays "pending".
 */
const leaveToRecovery = (order: Order) =>
  Effect.as(
    Effect.logWarning("a sale was not sent because the process was paused; recovery will settle it", {
      xid: order.xid
    }),
    DispatchAnswer.Unknown()
  )

const settleAnswer = Effect.fnUntraced(function* <R>(
  order: Order,
  answering: Effect.Effect<DispatchAnswer, never, R>,
  reply: Reply<Replayable<Outcome>, ServiceUnavailable>
) {
  const verdict = verdictOf(yield* answering)
  // A sale that was not sent never gets the response "pending", because its key is going to be freed.
  const delayed = verdict._tag === "Free" ? Exit.fail(new ServiceUnavailable()) : Exit.succeed(pending(order))
  const settled = yield* settle(order, verdict, reply(delayed))
  if (settled.won && settled.status === "PENDING") yield* countSale("PENDING", order.service.type)
  if (settled.outcome === null) return yield* new ServiceUnavailable()
  return { outcome: settled.outcome, replayed: false }
})

const pending = (order: Order): Replayable<Outcome> => ({ outcome: pendingOf(order), replayed: false })

/** Returns the delivered sale, or the error for the caller. Contract: 4.5. */
export const delivered = Outcome.match({
  Delivered: (outcome) => Effect.succeed(outcome),
  Pending: ({ transactionId, xid }) => Effect.fail(new TransactionPending({ transactionId, xid })),
  Refused: ({ refusal, transactionId, xid }) => Effect.fail(new Rejected({ refusal, transactionId, xid }))
})
