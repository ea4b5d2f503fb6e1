import { DateTime, Effect } from "effect"
import type { Count } from "../domain/Recovery.ts"
import type { Settlement } from "../ports/Ledger.ts"
import { spanned } from "../telemetry/SpanWhenTraced.ts"
import { InFlight } from "./InFlight.ts"
import { retryWrite } from "./RetryWrite.ts"

/** What a settlement tells besides what it settles and how. */
type Circumstances = Pick<Settlement, "at" | "claimedAt" | "notFound" | "toldPending">

/**
 * The three ways of settling, of sales and of reversals alike.
 *
 * @param name of the spans.
 * @param write writes what became of it, and finds its own earlier commit.
 */
export const settlingBy = <Subject, Verdict, Settled, R>(
  name: string,
  xidOf: (subject: Subject) => string,
  write: (subject: Subject, verdict: Verdict, circumstances: Circumstances) => Effect.Effect<Settled, never, R>
) => ({
  /**
   * Writes what became of it. When the database is gone the provider's answer must not be: the work goes on, and a
   * caller who has waited long enough is told that it is pending; the key then replays that. Contract: 3.1.
   *
   * @param onDelay answers the caller so.
   */
  settle: spanned(
    `${name}.settle`,
    Effect.fnUntraced(function* (subject: Subject, verdict: Verdict, onDelay: Effect.Effect<void>) {
      const at = yield* DateTime.now
      const settling = (toldPending: boolean) => write(subject, verdict, { at, notFound: 0, toldPending })
      return yield* retryWrite(settling, onDelay, { xid: xidOf(subject) })
    })
  ),

  /** The same whatever becomes of the caller, who waits until it is written, however long that takes. */
  settleInFlight: Effect.fnUntraced(function* (subject: Subject, verdict: Verdict) {
    const { run } = yield* InFlight
    const at = yield* DateTime.now
    const settling = () => write(subject, verdict, { at, notFound: 0 })
    return yield* run(retryWrite(settling, Effect.void, { xid: xidOf(subject) }))
  }),

  /** The same for whoever can ask again: a database that is gone is a defect. */
  settleOnce: spanned(
    `${name}.settleOnce`,
    Effect.fnUntraced(function* (subject: Subject, verdict: Verdict, count: Count) {
      return yield* write(subject, verdict, { at: yield* DateTime.now, ...count })
    })
  )
})
