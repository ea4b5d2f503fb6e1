import { DateTime, Duration, Effect, Schedule } from "effect"
import { conclude, providerTimeout, StatusAnswer } from "../domain/Recovery.ts"
import { Providers } from "../ports/Provider.ts"
import { type Claimed, Unresolved } from "../ports/Unresolved.ts"
import { settle } from "./Settle.ts"

/** Longer than a provider may take to answer, so that a claim outlives its question. */
const lease = Duration.sum(providerTimeout, Duration.seconds(30))

const batch_max = 100
const questions_max = 16

/** How a recovery went. */
export interface Recovered {
  readonly confirmed: number
  readonly released: number
  readonly stillUnknown: number
}

const none: Recovered = { confirmed: 0, released: 0, stillUnknown: 0 }

/**
 * Asks the provider about every unresolved sale that is due, or about all of them, and settles what is firm. Never
 * dispatches. Any number of processes may run it at once. Contract: 3.1.
 */
export const recover = Effect.fn("Recover.recover")(function* (which: "due" | "all") {
  const unresolved = yield* Unresolved
  const began = yield* DateTime.now
  let total = none
  // A sale that was asked about is next due later than this cycle began, so each is asked about once.
  while (true) {
    const claimed = yield* unresolved.claim({ now: began, lease, limit: batch_max, which })
    const tally = yield* Effect.forEach(claimed, ask, { concurrency: questions_max })
    total = tally.reduce(sum, total)
    if (claimed.length < batch_max) return total
  }
})

const sum = (left: Recovered, right: Recovered): Recovered => ({
  confirmed: left.confirmed + right.confirmed,
  released: left.released + right.released,
  stillUnknown: left.stillUnknown + right.stillUnknown
})

const ask = Effect.fnUntraced(function* (sale: Claimed) {
  const answer = yield* status(sale)
  const { notFound, verdict } = conclude(
    { createdAt: sale.order.createdAt, notFound: sale.notFound },
    answer,
    yield* DateTime.now
  )
  const settled = yield* settle(sale.order, verdict, notFound)
  if (settled.status === "SUCCESS") return { ...none, confirmed: 1 }
  return settled.status === "FAILED" ? { ...none, released: 1 } : { ...none, stillUnknown: 1 }
})

const status = ({ order }: Claimed) =>
  Providers.use((providers) => providers.serving(order.environment)).pipe(
    Effect.flatMap((provider) => provider.status(order)),
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
