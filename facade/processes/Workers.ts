import { closeSync, openSync } from "node:fs"
import { isatty } from "node:tty"
import { Context, Deferred, Duration, Effect, Layer, Option, Queue, type Scope } from "effect"
import { Health } from "../ops/Health.ts"
import { type Crew, makeCrew, type Worker, type WorkerEnded } from "./Crew.ts"

/** A worker that ends within this time after its start counts as failing. */
const failing_max = Duration.seconds(30)

/** The pauses before a failing worker is replaced. The first replacement starts immediately. */
const firstPause = Duration.seconds(1)
const pause_max = Duration.seconds(30)

/** Pause before a worker is replaced, by the number of failing workers in a row. */
export const pauseAfter = (failures: number): Duration.Duration =>
  failures <= 1 ? Duration.zero : Duration.min(Duration.times(firstPause, 2 ** (failures - 2)), pause_max)

/** The health of all workers together. */
const healthOf = ({ askAll, knownMetrics, workers }: Crew, isStopping: () => boolean): Health["Service"] => ({
  // A worker that ended during the question does not count as hanging.
  isAlive: Effect.map(askAll("alive"), (answers) =>
    answers.every(({ answer, worker }) => Option.isSome(answer) || !workers.has(worker))
  ),
  // A worker that is stopping gets no more calls, so its answer does not count.
  missing: Effect.map(askAll("missing"), (answers) => {
    const counting = answers
      .flatMap(({ answer }) => Option.toArray(answer))
      .filter((parts) => !parts.includes("stopping"))
    const missing = counting.length === 0 ? ["listener"] : counting.flat()
    return [...new Set([...(isStopping() ? ["stopping"] : []), ...missing])]
  }),
  cellsDown: Effect.map(askAll("cellsDown"), (answers) =>
    answers.flatMap(({ answer }) => Option.getOrElse(answer, () => []))
  ),
  // The answers are stored before they are merged. A worker that ends at this moment is counted only once: among the
  // running workers or among the ended ones.
  metrics: Effect.map(askAll("metrics"), (answers) => {
    for (const { answer, worker } of answers) {
      if (Option.isSome(answer) && workers.has(worker)) worker.metrics = answer.value[0] ?? worker.metrics
    }
    return knownMetrics()
  })
})

/** Whether this process has a terminal. */
const hasTerminal = (): boolean => {
  try {
    closeSync(openSync("/dev/tty", "r"))
    return true
  } catch {
    return false
  }
}

/** The signals that ask for new workers. Signals during a replacement count as one. */
const replacementSignals = Effect.gen(function* () {
  const signals = yield* Queue.sliding<void>(1)
  // The system also sends SIGHUP when a terminal is closed. A server that has lost its terminal stops.
  const hadTerminal = isatty(0)
  const asked = () => {
    if (hadTerminal && !hasTerminal()) process.kill(process.pid, "SIGTERM")
    else Queue.offerUnsafe(signals, undefined)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", asked)),
    () => Effect.sync(() => process.off("SIGHUP", asked))
  )
  return signals
})

type Environment = Readonly<Record<string, string>>

/** Replaces each worker that ends and, on SIGHUP, all workers. */
const makeReplacements = (crew: Crew, environment: Environment, scope: Scope.Scope) => {
  /** Replaces a worker when it ends, unless another worker has its place already. */
  const keep = (worker: Worker, failures = 0): Effect.Effect<unknown> =>
    Effect.gen(function* () {
      const [lived, { code, pid, signal }] = yield* Effect.timed(Deferred.await(worker.ended))
      if (worker.isReplaced) return
      const failed = Duration.isLessThan(lived, failing_max) ? failures + 1 : 1
      const pause = pauseAfter(failed)
      const pause_s = Duration.toSeconds(pause)
      yield* Effect.logError("a worker process ended and is replaced", { pid, code, signal, pause_s })
      yield* Effect.sleep(pause)
      yield* keep(crew.start(environment), failed)
    }).pipe(Effect.forkIn(scope))

  /** Starts a new worker, and then ends the old one. Returns false if the new worker does not start. */
  const replace = Effect.fnUntraced(function* (worker: Worker) {
    if (!crew.workers.has(worker)) return true
    worker.isReplaced = true
    const successor = crew.start(environment)
    const started = yield* Effect.result(Deferred.await(successor.accepting))
    if (started._tag === "Success") {
      yield* keep(successor)
      worker.send({ _tag: "Leave" })
      yield* Deferred.await(worker.ended)
      return true
    }
    const { code, pid, signal } = started.failure
    const why = { pid, code, signal }
    yield* Effect.logError("a new worker process ended before it accepted calls; the old ones stay", why)
    worker.isReplaced = false
    // If the old worker ended during the replacement, nothing has restarted it, because its end was expected.
    if (!crew.workers.has(worker)) yield* keep(worker)
    return false
  })

  return {
    keep,
    replaceAll: Effect.gen(function* () {
      yield* Effect.logInfo("all worker processes are being replaced, one after the other")
      for (const worker of [...crew.workers]) if (!(yield* replace(worker))) return
      yield* Effect.logInfo("all worker processes are replaced")
    })
  }
}

const stopAll = (workers: Iterable<Worker>) =>
  Effect.forEach(workers, (worker) => Effect.andThen(Effect.sync(worker.stop), Deferred.await(worker.ended)), {
    concurrency: "unbounded",
    discard: true
  })

/** The worker processes of `saldo serve`. */
export class Workers extends Context.Service<
  Workers,
  {
    /**
     * Keeps a number of workers until the scope ends. Returns when all of them accept calls. Fails if the
     * first worker ends before it accepts calls.
     */
    readonly keep: (count: number, environment: Environment) => Effect.Effect<void, WorkerEnded, Scope.Scope>
  }
>()("saldo/facade/Workers") {
  /** Provides the workers and their common health. It starts no worker; `keep` does. */
  static readonly layer = Layer.effectContext(
    Effect.sync(() => {
      const crew = makeCrew()
      let isStopping = false
      const keep = Effect.fnUntraced(function* (count: number, environment: Environment) {
        const signals = yield* replacementSignals
        yield* Effect.addFinalizer(() => {
          isStopping = true
          return stopAll([...crew.workers])
        })
        const replacements = makeReplacements(crew, environment, yield* Effect.scope)
        // The first worker migrates the database. If it cannot start, no other could.
        const first = crew.start(environment)
        yield* Deferred.await(first.accepting)
        const others = Array.from({ length: count - 1 }, () => crew.start(environment))
        yield* Effect.forEach([first, ...others], (worker) => replacements.keep(worker), { discard: true })
        yield* crew.whenAccepting(count)
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(signals), replacements.replaceAll)))
      })
      return Context.make(Workers, { keep }).pipe(
        Context.add(
          Health,
          healthOf(crew, () => isStopping)
        )
      )
    })
  )
}
