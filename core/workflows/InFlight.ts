import { Cause, Clock, Context, Deferred, Duration, Effect, type Exit, FiberSet, Latch, Layer, Schedule } from "effect"

/**
 * How long a stopping process waits for sales already sent, because a provider may take 30 s to answer. Contract: 8.
 */
export const drain_max = Duration.seconds(40)

/** Sends the response to the waiting caller. Only the first response counts. */
export type Reply<A, E> = (answer: Exit.Exit<A, E>) => Effect.Effect<void>

/** How long a caller waits for a write before the response "pending". The write goes on in the background. */
const answerAfter = Duration.seconds(5)

/** Runs an action after `answerAfter`, unless the returned function has cancelled it. */
type WhenLate = (action: Effect.Effect<void>) => Effect.Effect<() => void>

/**
 * Runs the delayed actions of all writes in one fiber. A fiber for each write would take 9 % of the function calls of a
 * sale.
 */
const makeWhenLate = Effect.gen(function* () {
  // All actions have the same delay, so the set has the earliest action first.
  const waiting = new Set<{ readonly action: Effect.Effect<void>; readonly due_ns: bigint }>()
  const hasWaiting = Latch.makeUnsafe()
  const delay_ns = Duration.toNanosUnsafe(answerAfter)
  const runNext = Effect.flatMap(Clock.monotonicTimeNanos, (now_ns) => {
    const [next] = waiting
    if (next === undefined) {
      hasWaiting.closeUnsafe()
      return hasWaiting.await
    }
    if (next.due_ns > now_ns) return Effect.sleep(Duration.nanos(next.due_ns - now_ns))
    waiting.delete(next)
    return Effect.exit(next.action)
  })
  yield* Effect.forkScoped(Effect.forever(runNext))
  const whenLate: WhenLate = (action) =>
    Effect.clockWith((clock) => {
      const entry = { action, due_ns: clock.monotonicTimeNanosUnsafe() + delay_ns }
      waiting.add(entry)
      hasWaiting.openUnsafe()
      return Effect.succeed(() => void waiting.delete(entry))
    })
  return whenLate
})

/** Logs a defect after the caller has disconnected, because no response can report it. */
const logBroken = (cause: Cause.Cause<unknown>) =>
  Cause.hasDies(cause)
    ? Effect.logError("background work failed after the caller had disconnected", cause)
    : Effect.void

/**
 * Work that outlives the call that started it. A sale goes on when the client disconnects, and a stopping process waits
 * for the sale.
 */
export class InFlight extends Context.Service<
  InFlight,
  {
    /** Whether any work is still running. */
    readonly isBusy: Effect.Effect<boolean>
    /** Starts work without waiting for it. */
    readonly start: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<void, never, R>
    /** Runs work to its end, even if the waiting caller disconnects. */
    readonly run: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Like `run`, for work that may respond to the caller before the work ends. */
    readonly runWithReply: <A, E, R>(work: (reply: Reply<A, E>) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Runs an action after 5 s, usually a response to the caller. The returned function cancels the action. */
    readonly whenLate: WhenLate
  }
>()("saldo/core/InFlight") {
  static readonly layer = Layer.effect(
    InFlight,
    Effect.gen(function* () {
      const whenLate = yield* makeWhenLate
      // After its scope has closed, a FiberSet starts no fiber and returns an interrupted one.
      const fibers = yield* FiberSet.make<unknown, unknown>()
      // Added after the set, so that this finalizer runs first. The set then interrupts the fibers that are still
      // running.
      yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(FiberSet.awaitEmpty(fibers), drain_max)))
      const runWithReply = Effect.fnUntraced(function* <A, E, R>(work: (reply: Reply<A, E>) => Effect.Effect<A, E, R>) {
        const replied = yield* Deferred.make<A, E>()
        let isAwaited = true
        const replying = work((answer) => Deferred.done(replied, answer))
        const fiber = yield* FiberSet.run(
          fibers,
          Effect.onError(replying, (cause) => (isAwaited ? Effect.void : logBroken(cause)))
        )
        // Ends the wait when the fiber ends for any reason, even if the fiber never started.
        fiber.addObserver((exit) => Deferred.doneUnsafe(replied, exit))
        return yield* Effect.ensuring(
          Deferred.await(replied),
          Effect.sync(() => {
            isAwaited = false
          })
        )
      })
      return InFlight.of({
        isBusy: Effect.map(FiberSet.size(fibers), (size) => size > 0),
        start: (work) => Effect.asVoid(FiberSet.run(fibers, Effect.onError(work, logBroken))),
        run: (work) => runWithReply(() => work),
        runWithReply,
        whenLate
      })
    })
  )
}

/**
 * Logs a defect as a cause, so that only its stack is logged. A database error logged as a value would print the
 * rejected row with the customer's number.
 */
export const logDefect = (message: string, broken: unknown, about: Readonly<Record<string, unknown>> = {}) =>
  Effect.logError(message, about, Cause.isCause(broken) ? broken : Cause.die(broken))

/** Retries idempotent work until it succeeds. Calls `onDefect` for each failure. */
export const retryUntilSuccess =
  (pace: Schedule.Schedule<unknown>, onDefect: (defect: unknown) => Effect.Effect<void>) =>
  <A, R>(work: Effect.Effect<A, never, R>): Effect.Effect<A, never, R> =>
    work.pipe(Effect.catchDefect(Effect.fail), Effect.tapError(onDefect), Effect.retry(pace), Effect.orDie)

const firstPause = Duration.millis(200)

const pace = Schedule.min([Schedule.exponential(firstPause), Schedule.spaced("5 seconds")])

/**
 * Retries a write until it succeeds. Used for writes that must not be lost while the database is unavailable.
 *
 * @param write idempotent: finds its own earlier commit. Its argument says whether the caller already has a response.
 * @param onDelay sends the response to the caller, once, if the write takes longer than 5 s. The write goes on.
 */
export const retryWrite = Effect.fnUntraced(function* <A, R>(
  write: (hasAnswered: boolean) => Effect.Effect<A, never, R>,
  onDelay: Effect.Effect<void>,
  about: Readonly<Record<string, unknown>>
) {
  let hasAnswered = false
  const logFailure = (defect: unknown) => logDefect("an outcome could not be written and is retried", defect, about)
  const { whenLate } = yield* InFlight
  const cancel = yield* whenLate(
    Effect.suspend(() => {
      hasAnswered = true
      return onDelay
    })
  )
  const again = () => retryUntilSuccess(pace, logFailure)(Effect.suspend(() => write(hasAnswered)))
  // Almost every write succeeds at once, so the retries are built only after a failure.
  const written = yield* Effect.catchDefect(write(hasAnswered), (defect) =>
    logFailure(defect).pipe(Effect.andThen(Effect.sleep(firstPause)), Effect.andThen(Effect.suspend(again)))
  )
  cancel()
  return written
})
