import { type Failure, isFailure, isSaldoError } from "./Errors.ts"

/** The clock, random numbers and pauses that retries use. Tests replace them. */
export interface Surroundings {
  /** A clock that never goes back, unlike the time of day. */
  readonly now_ms: () => number
  /** A number from 0 to 1. */
  readonly random: () => number
  /** Waits. Rejects with the reason of the signal when the caller aborts. */
  readonly pause: (duration_ms: number, signal: AbortSignal | undefined) => Promise<void>
}

export const realSurroundings: Surroundings = {
  now_ms: () => performance.now(),
  random: Math.random,
  pause: (duration_ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop)
        resolve()
      }, duration_ms)
      if (signal?.aborted) stop()
      else signal?.addEventListener("abort", stop, { once: true })
    })
}

/**
 * The kind of a call. A read changes nothing. An operation with a key (`keyed`) is carried out once, however many calls
 * have the key. Without a key, each call may carry out the operation again.
 */
export type Kind = "read" | "keyed" | "unkeyed"

/** Limits of the retries of a call. */
export interface Limits {
  readonly signal?: AbortSignal | undefined
  /** Maximum number of retries. */
  readonly retries: number
  /**
   * The instant after which no retry begins. Until then, retries after a rate limit or "in progress" do not count
   * towards `retries`.
   */
  readonly until_ms?: number | undefined
}

const isInProgress = (error: Failure): boolean => isSaldoError(error) && error.code === "IDEMPOTENT_REQUEST_IN_PROGRESS"

const isRateLimit = ({ httpStatus }: Failure): boolean => httpStatus === 429

/** Whether the service may have begun the operation of the call that failed with this error. */
const mayHaveBegun = (error: Failure): boolean => {
  const { httpStatus } = error
  if (httpStatus === undefined || httpStatus >= 500) return true
  // A status from 200 to 299 is an error here only if the response is unreadable, or if it is 202.
  return (httpStatus >= 200 && httpStatus < 300) || isInProgress(error)
}

/**
 * Whether an earlier call with the same key has begun an operation that may have changed something. Its answer can no
 * longer be replayed, and only a FAILED sale has certainly changed nothing.
 */
const isOfEarlierCall = (error: Failure): boolean =>
  isSaldoError(error) && error.code === "IDEMPOTENCY_CONFLICT" && Object(error.details).status !== "FAILED"

/** Whether the same call may succeed later. */
export const isTemporary = (error: Failure): boolean =>
  isRateLimit(error) ||
  isInProgress(error) ||
  error.httpStatus === 408 ||
  // 501 is permanent: the service has no consulta of insurance.
  (error.httpStatus !== 202 && error.httpStatus !== 501 && mayHaveBegun(error))

/**
 * Whether an error is the final outcome of an operation. All attempts with the same key have the same outcome, so it
 * also settles earlier attempts. A refusal before the operation begins settles nothing, because the request of an
 * earlier attempt may still arrive.
 */
const settles = (error: Failure): boolean =>
  isSaldoError(error) &&
  ((error.httpStatus === 422 && Object.hasOwn(Object(error.details), "xid")) || error.code === "IDEMPOTENCY_CONFLICT")

const backoff_min_ms = 500
const backoff_max_ms = 10_000
const inProgress_ms = 2_000 // contract, 4.5, rule 2
// The service never demands a pause above a minute. If a proxy demands a longer pause, the call fails, and the caller
// decides.
const pause_max_ms = 90_000

/**
 * Makes a call, and retries it as long as its failures are temporary and a retry is safe. A sale with an unknown outcome
 * (202) is never retried.
 */
export const repeated = async <A>(
  { now_ms, pause, random }: Surroundings,
  kind: Kind,
  { retries, signal, until_ms }: Limits,
  attempt: () => Promise<A>
): Promise<A> => {
  let unsettled = false
  let counted = 0
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isFailure(error)) throw error
      unsettled = kind !== "read" && (mayHaveBegun(error) || isOfEarlierCall(error) || (unsettled && !settles(error)))
      error.outcomeUnknown = unsettled
      const isAskedFor = isRateLimit(error) || isInProgress(error)
      if (until_ms === undefined || !isAskedFor) counted++
      const isSafe = kind !== "unkeyed" || isRateLimit(error)
      if (!isSafe || !isTemporary(error) || counted > retries) throw error
      const backoff_ms = isInProgress(error) ? inProgress_ms : Math.min(backoff_max_ms, backoff_min_ms * 2 ** failures)
      // Jitter, so that clients that failed together do not return together.
      const wait_ms = (error.retryAfter_ms ?? backoff_ms) + (backoff_ms * random()) / 2
      if (wait_ms > pause_max_ms || (until_ms !== undefined && now_ms() + wait_ms > until_ms)) throw error
      await pause(wait_ms, signal)
    }
  }
}
