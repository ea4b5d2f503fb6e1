import { Worker } from "node:worker_threads"
import { Effect, Queue } from "effect"
import type { MutantJob, MutantResult, SeedJob, SeedOutcome } from "./Job.ts"

/** The result of a job. */
type JobResult<Job> = Job extends MutantJob ? MutantResult : SeedOutcome

const workerOf = () => new Worker(new URL("./Worker.ts", import.meta.url))

/** Sends a job to a worker and waits for its result. */
const runOnWorker = <Job extends SeedJob | MutantJob>(worker: Worker, job: Job): Effect.Effect<JobResult<Job>> =>
  Effect.callback<JobResult<Job>>((resume) => {
    const onMessage = (outcome: JobResult<Job>) => {
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
 * Runs jobs on several threads.
 *
 * @param told receives each result when its job ends. If it returns false, no further job starts.
 */
export const runJobs = Effect.fn("WorkerPool.runJobs")(function* <Job extends SeedJob | MutantJob>(
  jobs: ReadonlyArray<Job>,
  threads_max: number,
  told: (answer: JobResult<Job>) => Effect.Effect<boolean>
) {
  const waiting = yield* Queue.unbounded<Job>()
  yield* Queue.offerAll(waiting, jobs)
  const left = { count: jobs.length }
  const work = Effect.fnUntraced(function* (worker: Worker) {
    while (left.count > 0) {
      left.count--
      const job = yield* Queue.take(waiting)
      if (!(yield* told(yield* runOnWorker(worker, job)))) left.count = 0
    }
  })
  const threads = Math.min(threads_max, jobs.length)
  yield* Effect.forEach(
    Array.from({ length: threads }),
    () => Effect.acquireUseRelease(Effect.sync(workerOf), work, (worker) => Effect.promise(() => worker.terminate())),
    { concurrency: "unbounded", discard: true }
  )
})
