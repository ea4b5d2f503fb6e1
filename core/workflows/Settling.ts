import { DateTime, Effect } from "effect"
import type { Count } from "../domain/Recovery.ts"
import type { Settlement } from "../ports/Ledger.ts"
import { spanned } from "../telemetry/SpanWhenTraced.ts"
import { InFlight } from "./InFlight.ts"
import { retryWrite } from "./RetryWrite.ts"

/** Fields of a settlement besides its subject and verdict. */
type Circumstances = Pick<Settlement, "at" | "claimedAt" | "notFound" | "toldPending">

/**
 * Makes the three ways to settle, for sales and for reversals.
 *
 * @param name prefix of the spans.
 * @param write writes the verdict. Idempotent: finds its own earlier commit.
 */
export const settlingBy = <Subject, Verdict, Settled, R>(
  name: string,
  xidOf: (subject: Subject) => string,
  write: (subject: Subject, verdict: Verdict, circumstances: Circumstances) => Effect.Effect<Settled, never, R>
) => ({
  /**
   * Writes the verdict and retries while the database is unavailable, so that the provider's answer is not lost. A
   * caller that has waited 5 s is answered "pending", which the key then replays. Contract: 3.1.
   *
   * @param onDelay answers the caller.
   */
  settle: spanned(
    `${name}.settle`,
    Effect.fnUntraced(function* (subject: Subject, verdict: Verdict, onDelay: Effect.Effect<void>) {
      const at = yield* DateTime.now
      const settling = (toldPending: boolean) => write(subject, verdict, { at, notFound: 0, toldPending })
      return yield* retryWrite(settling, onDelay, { xid: xidOf(subject) })
    })
  ),

  /** Writes the verdict even if the caller disconnects. The caller waits until it is written. */
  settleInFlight: Effect.fnUntraced(function* (subject: Subject, verdict: Verdict) {
    const { run } = yield* InFlight
    const at = yield* DateTime.now
    const settling = () => write(subject, verdict, { at, notFound: 0 })
    return yield* run(retryWrite(settling, Effect.void, { xid: xidOf(subject) }))
  }),

  /** Writes the verdict once. For callers that can ask again later: an unavailable database is a defect. */
  settleOnce: spanned(
    `${name}.settleOnce`,
    Effect.fnUntraced(function* (subject: Subject, verdict: Verdict, count: Count) {
      return yield* write(subject, verdict, { at: yield* DateTime.now, ...count })
    })
  )
})
