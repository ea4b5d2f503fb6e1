import { Cause, Context, Deferred, Duration, Effect, type Exit, Fiber, Layer } from "effect"
import { makeBag } from "./Bag.ts"
import { makePatience } from "./Patience.ts"

/** A caller waits this long for what is under way to be written; then it goes on in the background. */
const patience = Duration.seconds(5)

/** How long a stopping process waits for the sales that it has sent. A provider may take 30 s. Contract: 8. */
export const drain_max = Duration.seconds(40)

/** Answers the waiting caller, once: what comes after the first answer is ignored. */
export type Reply<A, E> = (answer: Exit.Exit<A, E>) => Effect.Effect<void>

/** The caller has gone, so the log has to tell of a defect. */
const logBroken = (cause: Cause.Cause<unknown>) =>
  Cause.hasDies(cause) ? Effect.logError("work under way broke, and nobody waits for it", cause) : Effect.void

/**
 * Work that must not die with the call that started it: a sale goes on when its client hangs up, and the process that
 * stops waits for it.
 */
export class InFlight extends Context.Service<
  InFlight,
  {
    /** Starts work that its caller does not wait for. */
    readonly start: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<void, never, R>
    /** Runs to its end whatever becomes of the caller, who may wait for it. */
    readonly run: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** The same for work that may answer its caller before it ends. */
    readonly runWithReply: <A, E, R>(work: (reply: Reply<A, E>) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Acts once 5 s have passed. Gives what calls that off. */
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
        // Whatever ends it, also before it began, ends the wait.
        fiber.addObserver((exit) => Deferred.doneUnsafe(replied, exit))
        return yield* Effect.ensuring(
          Deferred.await(replied),
          Effect.sync(() => {
            isAwaited = false
          })
        )
      })
      return InFlight.of({
        // Too late to begin, but no fault of the caller's, who does not wait for it.
        start: (work) =>
          Effect.suspend(() => (isOpen ? Effect.asVoid(forked(Effect.onError(work, logBroken))) : Effect.void)),
        run: (work) => runWithReply(() => work),
        runWithReply,
        whenLate
      })
    })
  )
}
