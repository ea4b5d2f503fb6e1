import { DateTime, Duration, Effect, Schedule } from "effect"
import { conclude, providerTimeout, StatusAnswer } from "../domain/Recovery.ts"
import { concludeReversal } from "../domain/Reversal.ts"
import { denialOf, type Order } from "../domain/Sale.ts"
import { type ClaimedReversal, Reversals } from "../ports/Reversals.ts"
import { type Claimed, Unresolved } from "../ports/Unresolved.ts"
import { asked } from "./Reverse.ts"
import { settle } from "./Settle.ts"
import { settleReversal } from "./SettleReversal.ts"
import { supplierOf } from "./Supplier.ts"

/** Longer than a provider may take to answer, so that a claim outlives its question. */
const lease = Duration.sum(providerTimeout, Duration.seconds(30))

const batch_max = 100
const questions_max = 16

/** How a recovery went. */
export interface Recovered {
  readonly confirmed: number
  readonly released: number
  readonly reversed: number
  readonly reversalsDenied: number
  readonly stillUnknown: number
}

const none: Recovered = { confirmed: 0, released: 0, reversed: 0, reversalsDenied: 0, stillUnknown: 0 }

/**
 * Asks the provider about every unresolved sale and reversal that is due, or about all of them, and settles what is
 * firm. Never dispatches. Any number of processes may run it at once. Contract: 3.1.
 */
export const recover = Effect.fn("Recover.recover")(function* (which: "due" | "all") {
  const unresolved = yield* Unresolved
  const reversals = yield* Reversals
  const now = yield* DateTime.now
  const claim = { now, lease, limit: batch_max, which }
  const sales = yield* exhaust(unresolved.claim(claim), askAboutSale)
  return sum(sales, yield* exhaust(reversals.claim(claim), askAboutReversal))
})

// What was asked about is next due later than the cycle began, so each is asked about once.
const exhaust = Effect.fnUntraced(function* <A, R1, R2>(
  claim: Effect.Effect<ReadonlyArray<A>, never, R1>,
  ask: (claimed: A) => Effect.Effect<Recovered, never, R2>
) {
  let total = none
  while (true) {
    const claimed = yield* claim
    const tally = yield* Effect.forEach(claimed, ask, { concurrency: questions_max })
    total = tally.reduce(sum, total)
    if (claimed.length < batch_max) return total
  }
})

const sum = (left: Recovered, right: Recovered): Recovered => ({
  confirmed: left.confirmed + right.confirmed,
  released: left.released + right.released,
  reversed: left.reversed + right.reversed,
  reversalsDenied: left.reversalsDenied + right.reversalsDenied,
  stillUnknown: left.stillUnknown + right.stillUnknown
})

const askAboutSale = Effect.fnUntraced(function* (sale: Claimed) {
  const answer = yield* statusOf(sale.order)
  const { notFound, verdict } = conclude(
    { createdAt: sale.order.createdAt, notFound: sale.notFound },
    answer,
    yield* DateTime.now,
    denialOf(sale.order)
  )
  const settled = yield* settle(sale.order, verdict, notFound)
  if (settled.status === "SUCCESS") return { ...none, confirmed: 1 }
  return settled.status === "FAILED" ? { ...none, released: 1 } : { ...none, stillUnknown: 1 }
})

const askAboutReversal = Effect.fnUntraced(function* ({ notFound: before, under }: ClaimedReversal) {
  const answer = yield* asked(under, "reversalStatus")
  const { notFound, verdict } = concludeReversal(
    { createdAt: under.reversal.createdAt, notFound: before },
    answer,
    yield* DateTime.now
  )
  const settled = yield* settleReversal(under, verdict, notFound)
  if (settled.status === "CONFIRMED") return { ...none, reversed: 1 }
  return settled.status === "DENIED" ? { ...none, reversalsDenied: 1 } : { ...none, stillUnknown: 1 }
})

/** What the supplier says of a sale. One that falls silent, or breaks, says nothing firm. */
export const statusOf = (order: Order) =>
  supplierOf(order.environment, order.service.type).pipe(
    Effect.flatMap((supplier) => supplier.status(order)),
    Effect.timeoutOrElse({ duration: providerTimeout, orElse: () => Effect.succeed(StatusAnswer.Unknown()) }),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("status", { xid: order.xid }, cause), StatusAnswer.Unknown())
    )
  )

/** Recovers whatever is due, every second, for as long as the process lives; a failed cycle is only logged. */
export const keepRecovering = recover("due").pipe(
  Effect.catchCause((cause) => Effect.logError("a recovery cycle failed", cause)),
  Effect.repeat(Schedule.spaced("1 second"))
)
