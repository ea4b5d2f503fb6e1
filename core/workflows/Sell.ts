import { Clock, Effect } from "effect"
import { Rejected, ServiceUnavailable, TransactionPending } from "../domain/Errors.ts"
import type { CompanyId } from "../domain/Ids.ts"
import { providerTimeout } from "../domain/Recovery.ts"
import { type Intent, type Order, Outcome, orderedIn, pendingOf, Verdict } from "../domain/Sale.ts"
import { Ledger, Reserved } from "../ports/Ledger.ts"
import { Answer } from "../ports/Provider.ts"
import { followed } from "../telemetry/Followed.ts"
import { countSale } from "../telemetry/SaleMetrics.ts"
import { isFresh } from "./Fresh.ts"
import { InFlight, type Tell } from "./InFlight.ts"
import { settle } from "./Settle.ts"
import type { Supplier } from "./Supplier.ts"
import { tellAgain } from "./TellAgain.ts"

/** How a sale was answered, and whether the answer is that of an earlier call. */
export interface Answered {
  readonly outcome: Outcome
  readonly replayed: boolean
}

/**
 * Sells once: reserve, dispatch, then confirm, release or hold. Contract: 3.1 and 4.5.
 *
 * Nothing is dispatched before the reservation is committed, no database transaction is open while the provider is
 * asked, and an outcome that is not firm stays held for recovery. The sale goes on when its caller hangs up.
 */
export const sell = Effect.fnUntraced(function* (intent: Intent, supplier: Supplier) {
  const inFlight = yield* InFlight
  return yield* inFlight.runTelling((tell: Tell<Answered>) => reserveAndSend(intent, supplier, tell))
}, followed("Sell.sell"))

const reserveAndSend = Effect.fnUntraced(function* (intent: Intent, supplier: Supplier, tell: Tell<Answered>) {
  const ledger = yield* Ledger
  const since_ns = yield* Clock.monotonicTimeNanos
  const reserved = yield* ledger.reserve(intent)
  return yield* Reserved.$match(reserved, {
    Replay: ({ outcome }) => repeat(intent.companyId, outcome, tell),
    Reservation: ({ order }) =>
      Effect.flatMap(isFresh(since_ns, order.createdAt), (fresh) =>
        fresh ? send(order, supplier, tell) : leave(order)
      )
  })
})

const repeat = (companyId: CompanyId, outcome: Outcome, tell: Tell<Answered>) =>
  tellAgain(outcome, { companyId, transactionId: orderedIn(outcome).transactionId, about: "sale" }, tell)

/** An answer that was found under its key before anything was sold. It is noted whatever becomes of the caller. */
export const repeatInFlight = (companyId: CompanyId, outcome: Outcome) =>
  InFlight.use(({ runTelling }) => runTelling((tell: Tell<Answered>) => repeat(companyId, outcome, tell)))

const send = Effect.fnUntraced(function* (order: Order, supplier: Supplier, tell: Tell<Answered>) {
  const answer = yield* supplier.dispatch(order).pipe(
    Effect.timeoutOrElse({ duration: providerTimeout, orElse: () => Effect.succeed(Answer.Unknown()) }),
    Effect.catchCause((cause) => Effect.as(Effect.logError("dispatch", { xid: order.xid }, cause), Answer.Unknown()))
  )
  const settled = yield* settle(order, verdictOf(answer), tell(pending(order)))
  if (settled.won && settled.status === "PENDING") yield* countSale("PENDING", order.service.type)
  if (settled.outcome === null) return yield* new ServiceUnavailable()
  return { outcome: settled.outcome, replayed: false }
})

/** What the provider's answer means for the money. Contract: 3.1. */
const verdictOf = (answer: Answer): Verdict =>
  Answer.$match(answer, {
    Delivered: ({ delivery }): Verdict => Verdict.Confirm({ delivery }),
    Refused: ({ refusal }): Verdict => Verdict.Release({ refusal }),
    NotSent: () => Verdict.Free(),
    Unknown: () => Verdict.Hold()
  })

const leave = (order: Order) =>
  Effect.as(Effect.logWarning("a paused sale is left to recovery", { xid: order.xid }), pending(order))

const pending = (order: Order): Answered => ({ outcome: pendingOf(order), replayed: false })

/** A sale that succeeded, or the error that its caller hears. Contract: 4.5. */
export const delivered = Outcome.match({
  Delivered: (outcome) => Effect.succeed(outcome),
  Pending: ({ transactionId, xid }) => Effect.fail(new TransactionPending({ transactionId, xid })),
  Refused: ({ refusal, transactionId, xid }) => Effect.fail(new Rejected({ refusal, transactionId, xid }))
})
