import { Effect } from "effect"
import { type Bucket, type Counted, countedIn, type Window } from "../core/domain/RateLimit.ts"
import type { CallCounter } from "../core/ports/CallCounter.ts"
import { makeCounts } from "./CallCounterMemory.ts"

/** A call that a worker process sends to its primary process, which counts the calls of all workers. */
export type SentCall = readonly [key: string, limit: number, length_s: number, windowNumber: number, calls: 0 | 1]

/** Counts the calls of all workers. Returns the counts in the order of the calls. */
export const makePrimaryCounts = () => {
  const counts = makeCounts()
  return (calls: ReadonlyArray<SentCall>): ReadonlyArray<number> =>
    calls.map(([key, limit, length_s, number, counted]) => counts(key, limit, { length_s, number }, counted))
}

interface WaitingCall {
  readonly bucket: Bucket
  readonly window: Window
  readonly calls: 0 | 1
  readonly resume: (counted: Effect.Effect<Counted>) => void
}

/**
 * The call counter of a worker process. All calls in one iteration of the event loop are sent in one message.
 *
 * @param send sends calls to the primary process, which answers in the same order.
 */
export const makeWorkerCounter = (send: (calls: ReadonlyArray<SentCall>) => void) => {
  const sent: Array<ReadonlyArray<WaitingCall>> = []
  let waiting: Array<WaitingCall> = []
  const sendWaiting = () => {
    const batch = waiting
    waiting = []
    sent.push(batch)
    send(
      batch.map(
        ({ bucket, calls, window }) => [bucket.key, bucket.limit, window.length_s, window.number, calls] as const
      )
    )
  }
  const counter: CallCounter["Service"] = {
    count: (bucket, window, calls) =>
      Effect.callback((resume) => {
        if (waiting.length === 0) setImmediate(sendWaiting)
        waiting.push({ bucket, window, calls, resume })
      })
  }
  return {
    counter,
    /** Receives the counts for the oldest message that has no answer yet. */
    receive: (counts: ReadonlyArray<number>) => {
      sent.shift()?.forEach(({ bucket, resume, window }, place) => {
        resume(Effect.succeed(countedIn(bucket, window, counts[place] ?? 0)))
      })
    }
  }
}
