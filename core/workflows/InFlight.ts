import { Cause, Context, Deferred, Duration, Effect, type Exit, Fiber, Layer } from "effect"
import { makeBag } from "./Bag.ts"
import { makePatience } from "./Patience.ts"

/** How long a caller waits for a write before it is answered "pending". The write goes on in the background. */
const patience = Duration.seconds(5)

/** How long a stopping process waits for sales that it has sent. A provider may take 30 s. Contract: 8. */
export const drain_max = Duration.seconds(40)

/** Answers the waiting caller. Only the first answer counts. */
export type Reply<A, E> = (answer: Exit.Exit<A, E>) => Effect.Effect<void>

/** The caller has disconnected, so a defect is only visible in the log. */
const logBroken = (cause: Cause.Cause<unknown>) =>
  Cause.hasDies(cause) ? Effect.logError("work in the background failed after its caller had left", cause) : Effect.void

/**
 * Work that outlives the call that started it. A sale goes on when its client disconnects, and a stopping process waits
 * for it.
 */
export class InFlight extends Context.Service<
  InFlight,
  {
    /** Starts work without waiting for it. */
    readonly start: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<void, never, R>
    /** Runs work to its end, even if the waiting caller disconnects. */
    readonly run: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Like `run`, for work that may answer its caller before it ends. */
    readonly runWithReply: <A, E, R>(work: (reply: Reply<A, E>) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Runs `act` after 5 s. Returns a function that cancels it. */
    readonly whenLate: (act: Effect.Effect<void>) => Effect.Effect<() => void>
  }
>()("saldo/core/InFlight") {
  static readonly layer = Layer.effect(
    InFlight,
    Effect.gen(function* () {
      const whenLate = yield* makePatience(patience)
      const fibers = makeBag<Fiber.Fiber<unknown, unknown>>()
      let isOpen = true
      const rest = Effect.sync(() => fibers.all())
      const drained = Effect.repeat(Effect.flatMap(rest, Fiber.awaitAll), { until: () => fibers.all().length === 0 })
      const closed = Effect.suspend(() => {
        isOpen = false
        return Effect.flatMap(rest, Fiber.interruptAll)
      })
      yield* Effect.addFinalizer(() => Effect.ensuring(Effect.ignore(Effect.timeout(drained, drain_max)), closed))
      const forked = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.contextWith((services: Context.Context<R>) => {
          if (!isOpen) return Effect.interrupt
          const fiber = Effect.runForkWith(services)(work)
          fiber.addObserver(fibers.add(fiber))
          return Effect.succeed(fiber)
        })
      const runWithReply = Effect.fnUntraced(function* <A, E, R>(work: (reply: Reply<A, E>) => Effect.Effect<A, E, R>) {
        const replied = Deferred.makeUnsafe<A, E>()
        let isAwaited = true
        const replying = work((answer) => Deferred.done(replied, answer))
        const fiber = yield* forked(Effect.onError(replying, (cause) => (isAwaited ? Effect.void : logBroken(cause))))
        // Ends the wait however the fiber ends, even if it is interrupted before it starts.
        fiber.addObserver((exit) => Deferred.doneUnsafe(replied, exit))
        return yield* Effect.ensuring(
          Deferred.await(replied),
          Effect.sync(() => {
            isAwaited = false
          })
        )
      })
      return InFlight.of({
        // After shutdown began nothing is started. The caller does not wait for this work, so this is not an error.
        start: (work) =>
          Effect.suspend(() => (isOpen ? Effect.asVoid(forked(Effect.onError(work, logBroken))) : Effect.void)),
        run: (work) => runWithReply(() => work),
        runWithReply,
        whenLate
      })
    })
  )
}
