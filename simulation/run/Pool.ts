import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { Effect, Queue } from "effect"
import type { Job, Outcome } from "./Job.ts"

const workerOf = () => new Worker(new URL("./Worker.ts", import.meta.url))

/** Sends a worker one job and waits for what came of it. */
const ask = (worker: Worker, job: Job): Effect.Effect<Outcome> =>
  Effect.callback<Outcome>((resume) => {
    const onMessage = (outcome: Outcome) => {
      worker.off("error", onError)
      resume(Effect.succeed(outcome))
    }
    const onError = (error: unknown) => {
      worker.off("message", onMessage)
      resume(Effect.die(error))
    }
    worker.once("message", onMessage)
    worker.once("error", onError)
    worker.postMessage(job)
  })

/**
 * Runs jobs on as many threads as the machine has, each as soon as one is free.
 *
 * @param told of each outcome as it comes; false ends the run.
 */
export const runAll = Effect.fn("Pool.runAll")(function* (
  jobs: ReadonlyArray<Job>,
  told: (outcome: Outcome) => Effect.Effect<boolean>
) {
  const waiting = yield* Queue.unbounded<Job>()
  yield* Queue.offerAll(waiting, jobs)
  const left = { count: jobs.length }
  const work = Effect.fnUntraced(function* (worker: Worker) {
    while (left.count > 0) {
      left.count--
      const job = yield* Queue.take(waiting)
      if (!(yield* told(yield* ask(worker, job)))) left.count = 0
    }
  })
  const threads = Math.min(availableParallelism(), jobs.length)
  yield* Effect.forEach(
    Array.from({ length: threads }),
    () => Effect.acquireUseRelease(Effect.sync(workerOf), work, (worker) => Effect.promise(() => worker.terminate())),
    { concurrency: "unbounded", discard: true }
  )
})
